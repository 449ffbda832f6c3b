#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# tool.sh LIBRARY TOOL PROGRAM - a tool of OMPT is told the same with the library, which is behind it, as without: however the
# runtime finds it, and whether or not the library asks for threads.
set -euo pipefail
library=$1 tool=$2 program=$3
say() { env "$@" "$program" nested | grep '^tool: '; }
native=$(say "OMP_TOOL_LIBRARIES=$tool")
echo "natively: $native"
[[ $native == *'as expected' ]]
for threads in openmp 2 0; do
  for way in "LD_PRELOAD=$library OMP_TOOL_LIBRARIES=/no/such/tool.so:$tool" "LD_PRELOAD=$library $tool" "LD_PRELOAD=$tool $library"; do
    IFS='|' read -ra settings <<<"${way/ OMP/|OMP}"
    found=$(say "MPI_HELPER_THREADS=$threads" "${settings[@]}")
    [[ $found == "$native" ]] || { echo "with $way: $found"; exit 1; }
  done
done
echo "as many with the library"
