# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# What the commands share that run other people's tests with the library preloaded and without it; they source it, and
# have a function "usage".

fail() {
  echo "$(basename -- "$(dirname -- "$0")")/run: $1; see --help" >&2
  exit 2
}

# parse_options ARGUMENT... - --threads, --timeout and --source set the variables of that name, and are these alone; what is
# not an option is left in the array "words". A source that is a folder becomes an absolute path. To be called in the user's
# working directory.
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

# preload THREADS - in the array "preloaded": what has mpiexec preload the library, with a team of this size. To be called in
# the repository root.
preload() {
  preloaded=(-genv LD_PRELOAD "$PWD/build/release/runtime/libmpi_helper.so" -genv MPI_HELPER_THREADS "$1")
}

# only_in_second FILE FILE - the lines that the second has and the first has not, sorted both; whether there are any
only_in_second() {
  comm -13 "$1" "$2" | grep . | sed 's/^/  /'
}
