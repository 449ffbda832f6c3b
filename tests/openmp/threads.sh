#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# threads.sh LIBRARY PROGRAM - runs the program, which prints how many threads it had, without the library and with it preloaded, with its
# own threads as helpers. The numbers must be equal.
set -euo pipefail
count() { "$@" | grep -o 'threads: [0-9]*'; }
native=$(count "$2" plain)
preloaded=$(count env "LD_PRELOAD=$1" MPI_HELPER_THREADS=openmp "$2" plain helped)
[[ $native == "$preloaded" ]] && echo "as many $native"
