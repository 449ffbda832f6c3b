#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

usage() {
  cat <<'END_OF_USAGE'
Usage: folders.sh ROOT

Checks the folders of ROOT/runtime against the list in ROOT/docs/design.md: each is listed, each includes headers of none
but those below it, and its CMakeLists.txt names, after NEEDS, those that it includes and no others.
END_OF_USAGE
}

if (($# != 1)) || [[ $1 == --help || $1 == -h ]]; then usage; exit 2; fi
cd -- "$1"

failed=0
complain() {
  echo "$*"
  failed=1
}

mapfile -t folders < <(sed -nE 's#^runtime/([a-z]+)/ .*#\1#p' docs/design.md)
declare -A place
for i in "${!folders[@]}"; do place[${folders[i]}]=$i; done

for folder in runtime/*/; do
  name=$(basename "$folder")
  if [[ ! -v place[$name] ]]; then complain "docs/design.md does not list $folder"; fi
done

for name in "${folders[@]}"; do
  if [[ ! -d runtime/$name ]]; then
    complain "docs/design.md lists runtime/$name/, which is not there"
    continue
  fi
  declare -A used=()
  while IFS=: read -r file line other; do
    used[$other]=1
    if [[ -v place[$other] ]] && ((place[$other] < place[$name])); then
      complain "$file:$line: runtime/$name/ uses $other/, which docs/design.md lists above it"
    fi
  done < <(grep -rnoE '^#include ("[a-z]+/|.mpi_helper.h)' "runtime/$name" |
    sed -E "s|#include .mpi_helper.h|api|; s|#include \"(.*)/|\\1|; /:$name\$/d") # the functions of mpi_helper.h are in api/

  list=runtime/$name/CMakeLists.txt
  if ! grep -qs helper_layer "$list"; then continue; fi
  read -ra needs < <(tr '\n' ' ' <"$list" | sed -nE 's/.*NEEDS ([a-z ]*).*/\1/p'; echo)
  for other in "${needs[@]}"; do
    if [[ ! -v used[$other] ]]; then complain "$list: NEEDS $other, of which nothing is included"; fi
  done
  for other in "${!used[@]}"; do
    # What has headers alone is nothing to link.
    if [[ -f runtime/$other/CMakeLists.txt && " ${needs[*]} " != *" $other "* ]]; then
      complain "$list: NEEDS lacks $other, which is included"
    fi
  done
done
exit "$failed"
