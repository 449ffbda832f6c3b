#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

usage() {
  cat <<'END_OF_USAGE'
Usage: names.sh ROOT PAGE

Checks what stands in backquotes in ROOT/PAGE, a page that leads through the code: a `folder/file.cpp` is in ROOT/runtime, and
any other name, such as `Type`, `function()` or `Type::function()`, is in a file that the same paragraph names. The page has
at most 80 lines.
END_OF_USAGE
}

if (($# != 2)) || [[ $1 == --help || $1 == -h ]]; then usage; exit 2; fi
cd -- "$1"
page=$2

failed=0
complain() {
  echo "$page:$*"
  failed=1
}

# check LINE NAME... - checks the names in the paragraph, or list item, that begins at LINE.
check() {
  local line=$1 name part files=()
  shift
  for name; do
    if [[ $name != */* ]]; then continue; fi
    if [[ -f runtime/$name ]]; then files+=("runtime/$name"); else complain "$line: there is no runtime/$name"; fi
  done
  for name; do
    if [[ $name == */* ]]; then continue; fi
    if ((${#files[@]} == 0)); then
      complain "$line: no file is named that may have $name"
      continue
    fi
    name=${name%"()"}
    for part in ${name//::/ }; do
      if ! grep -qwF -e "$part" "${files[@]}"; then complain "$line: no $part in ${files[*]}"; fi
    done
  done
}

names=() begin=0 count=0
while IFS= read -r line; do
  count=$((count + 1))
  if [[ -z $line || $line =~ ^([0-9]+\.|-|#)\  ]]; then
    check "$begin" "${names[@]}"
    names=() begin=$count
  fi
  mapfile -t -O "${#names[@]}" names < <(grep -o '`[^`]*`' <<<"$line" | tr -d '`')
done <"$page"
check "$begin" "${names[@]}"

if ((count > 80)); then complain "$count: more than 80 lines"; fi
exit "$failed"
