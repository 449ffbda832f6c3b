#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# origin.sh SCRIPT - tests the text of bench/report/origin.sh about a result's commit and caches: whether the tree had changes other than of
# pages, and how often cores shared a cache in two looks.
set -euo pipefail
if ! command -v git >/dev/null; then exit 77; fi
source "$1"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

failed=0
# expect TEXT COMMAND... - fails unless the command prints this text.
expect() {
  local found
  found=$("${@:2}")
  if [[ $found != "$1" ]]; then echo "${*:2}: '$found' and not '$1'"; failed=1; fi
}

expect "no commit" origin_name_commit
git init -q
mkdir docs bench
touch docs/page.md docs/figure.svg bench/program.cpp
git add .
git -c user.name=a -c user.email=a@b commit -qm "a"
commit=$(git rev-parse --short=7 HEAD)
expect "commit $commit" origin_name_commit
echo table >docs/page.md
echo figure >docs/figure.svg
expect "commit $commit" origin_name_commit
echo change >bench/program.cpp
expect "commit $commit and changes" origin_name_commit
git checkout -q bench
touch bench/other.cpp
expect "commit $commit and changes" origin_name_commit

expect "processors that share a cache in 25 % of 8 looks" origin_name_caches 0 4 2 2
expect "caches not looked at" origin_name_caches 2 2
origin_machine="a machine" origin_commit="commit 1"
today=$(date +%F)
origin_look() { echo 3 1; }
expect "$today, a machine, processors that share a cache in 50 % of 8 looks, commit 1" origin_of_measured "1 3"
expect "$today, computed, commit 1" origin_of_computed
exit $failed
