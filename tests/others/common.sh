# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# The common part of the commands that run third-party tests with the library preloaded and without it. They source it, and define a
# function "usage".

fail() {
  echo "$(basename -- "$(dirname -- "$0")")/run: $1; see --help" >&2
  exit 2
}

# parse_options ARGUMENT... - only --threads, --timeout and --source are options; each sets the variable of its name. Other words are left
# in the array "words". If the source is a folder it becomes an absolute path. Call it in the user's working directory.
parse_options() {
  words=()
  while (($#)); do
    case $1 in
    --help | -h) usage; exit ;;
    --threads | --timeout | --source)
      if (($# < 2)); then fail "$1 needs a value"; fi
      declare -g "${1#--}=$2"
      shift
      ;;
    -*) fail "unknown option '$1'" ;;
    *) words+=("${1%/}") ;;
    esac
    shift
  done
  if [[ -d $source ]]; then source=$(realpath -- "$source"); fi
}

# preload THREADS - sets the array "preloaded": options of mpiexec that preload the library with a team of this size. Call it in the
# repository root.
preload() {
  preloaded=(-genv LD_PRELOAD "$PWD/build/release/runtime/libmpi_helper.so" -genv MPI_HELPER_THREADS "$1")
}

# only_in_second FILE FILE - prints the lines that only the second file has; both are sorted. Returns whether there are any.
only_in_second() {
  comm -13 "$1" "$2" | grep . | sed 's/^/  /'
}
