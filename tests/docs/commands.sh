#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# commands.sh PAGE SOURCE BUILD [COMMAND...] - does what a page tells its reader to do. It writes the code blocks with a file's name (```c
# sum.c) into that file, and runs the commands (```sh) in order, in a folder with the project's examples. The library is installed from
# BUILD instead of being built. Commands that are tests of their own, including all of ./tests/run, ./bench/run and the like in the text,
# are not run; it only checks that they exist. At the end COMMAND, in the same folder, checks the results.
set -euo pipefail
page=$1 source=$2 build=$3 see=("${@:4}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch/home
if ! command -v make >/dev/null; then export CMAKE_GENERATOR=Ninja; fi
mkdir -p "$HOME" "$scratch/work"
cd "$scratch/work"
ln -s "$source/omp_examples" omp_examples
ln -s "$build/omp_examples/omp_deposit_funneled" program # the README's name for any program that does not use teams

install_library() { command cmake --install "$build" --prefix "$1" >/dev/null; }
sudo() { echo "(not done: sudo $*)"; }
cmake() {
  case " $* " in
  *" --install build/install "*) install_library "${!#}" ;;
  *" build/install "*) echo "(not done: cmake $*)" ;;
  *" --preset "*) know_preset cmake "$@" ;;
  *) command cmake "$@" ;;
  esac
}
ctest() { know_preset ctest "$@"; }
cpack() { know_preset cpack "$@"; }
./tests/run() { if [[ ${1-} == --* ]]; then know_options ./tests/run "$@"; else know_tests "${1-.}"; fi; }
./bench/run() { know_options ./bench/run "$@"; }
./tests/suites/run() { know_options ./tests/suites/run "$@"; }
./tests/others/run() { know_options ./tests/others/run "$@"; }
./tests/arm64/run() { know_options ./tests/arm64/run "$@"; }

# know WORD COMMAND... - fails unless the command, in the project's folder, prints this word.
know() {
  (cd "$source" && "${@:2}") | grep -F -e "$1" >/dev/null || { echo "There is no $1"; exit 1; }
}
know_preset() { know "\"${!#}\"" command "${@:1:$#-2}" --list-presets; } # of: COMMAND... --preset NAME
know_options() {
  local option
  [[ -x $source/$1 ]] || { echo "There is no $1"; exit 1; }
  for option in "${@:2}"; do know "$option" command "$1" --help; done # not the shell function of that name
}
# know_tests REGEX - fails unless there are tests with such names.
tests=$(command ctest --test-dir "$build" -N)
know_tests() {
  sed -n 's/^ *Test *#[0-9]*: //p' <<<"$tests" | grep -E -e "$1" >/dev/null || { echo "There are no tests $1"; exit 1; }
}

awk '
  /^```/ {
    inside = !inside
    file = $1 == "```sh" ? "commands" : $2 ? $2 : "/dev/null"
    next
  }
  inside { print >file }
' "$page"
grep -oE '`\./(tests|bench)(/[a-z0-9]+)?/run [^`]*`' "$page" | tr -d '`' >>commands || true
[[ -s commands ]] || { echo "No commands in $page"; exit 1; }
if ! grep -q -e '--install build/install' commands; then install_library "$HOME/.local"; fi # the page supposes it
set -x
source ./commands
"${see[@]}"
