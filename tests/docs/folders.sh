#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

usage() {
  cat <<'END_OF_USAGE'
Usage: folders.sh [--arrows] ROOT

Checks the folders of ROOT/runtime against the list in ROOT/docs/design.md: each is listed, each includes headers of none
but those below it, and its CMakeLists.txt names, after NEEDS, those that it includes and no others. A folder within a
folder belongs to a wing, which its own folders, api and process alone may include.

With --arrows it shows which folder includes headers of which, a line "USER USED" for each pair.
END_OF_USAGE
}

arrows=0
if [[ ${1-} == --arrows ]]; then
  arrows=1
  shift
fi
if (($# != 1)) || [[ $1 == -* ]]; then usage; exit 2; fi
cd -- "$1"

# uses FOLDER - prints the folders whose headers it includes: lines "FILE:LINE:USED"
uses() {
  # The functions of mpi_helper.h are in api/.
  grep -nosE '^#include ("[a-z]+(/[a-z]+)?/|.mpi_helper.h)' "runtime/$1"/* /dev/null |
    sed -E "s|#include .mpi_helper.h|api|; s|#include \"(.*)/|\\1|; \|:$1\$|d" || true
}

# The folders with files of their own. A folder without files stands for the group of folders in it.
mapfile -t present < <(find runtime -mindepth 2 -type f -printf '%h\n' | sort -u | sed 's|^runtime/||')
if ((arrows)); then
  for name in "${present[@]}"; do uses "$name" | cut -d: -f3 | sort -u | sed "s|^|$name |"; done
  exit
fi

failed=0
complain() {
  echo "$*"
  failed=1
}

mapfile -t listed < <(sed -nE 's#^runtime/([a-z]+(/[a-z]+)?)/ .*#\1#p' docs/design.md)
declare -A place
for i in "${!listed[@]}"; do place[${listed[i]}]=$i; done

for name in "${present[@]}"; do
  if [[ ! -v place[$name] ]]; then complain "docs/design.md does not list runtime/$name/"; fi
done

# may_use USER USED - returns whether USER is outside every group that it uses
may_use() {
  [[ $2 != */* || ${1%/*} == "${2%/*}" || $1 == api || $1 == process ]]
}

for name in "${listed[@]}"; do
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
    if ! may_use "$name" "$other"; then
      complain "$file:$line: runtime/$name/ uses $other/, a folder of a wing that it is not part of"
    fi
  done < <(uses "$name")

  list=runtime/$name/CMakeLists.txt
  if ! grep -qs helper_layer "$list"; then continue; fi
  read -ra needs < <(tr '\n' ' ' <"$list" | sed -nE 's/.*NEEDS ([a-z/ ]*).*/\1/p'; echo)
  for other in "${needs[@]}"; do
    if [[ ! -v used[$other] ]]; then complain "$list: NEEDS $other, of which nothing is included"; fi
  done
  for other in "${!used[@]}"; do
    # A folder that has only headers is not linked.
    if [[ -f runtime/$other/CMakeLists.txt && " ${needs[*]} " != *" $other "* ]]; then
      complain "$list: NEEDS lacks $other, which is included"
    fi
  done
done
exit "$failed"
