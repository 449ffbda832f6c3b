#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# as_it_is.sh TOOL PRELOADED MPIEXEC FLAG PROGRAM... - runs two ranks of a program that does not use the library: without it, and with
# PRELOADED, the library and possibly a runtime. Then the program's threads must run chunks of others, and their number must be unchanged,
# as the preloaded TOOL reports. Threads that may help do so sooner or later, so there are several attempts.
set -euo pipefail
tool=$1 preloaded=$2 mpiexec=("${@:3:2}") program=("${@:5}")
run() { "${mpiexec[@]}" 2 env "$@" "${program[@]}" 2>&1; }
threads_in() { grep -o 'threads: [0-9]*' <<<"$1" | sort; }
native=$(run "LD_PRELOAD=$tool")
for ((try = 0; try < 10; try++)); do
  helped=$(run "LD_PRELOAD=$tool $preloaded" MPI_HELPER_THREADS=openmp MPI_HELPER_STATS=1)
  if [[ $(threads_in "$helped") != "$(threads_in "$native")" ]]; then
    echo "natively there are other threads: $native"
    break
  fi
  if grep -q 'chunks: .* by helper [0-9]' <<<"$helped"; then
    echo "$helped"
    exit
  fi
done
echo "$helped"
exit 1
