#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# tool.sh LIBRARY TOOL PROGRAM - checks that an OMPT tool gets the same events with the library, which then calls it, as without. It tests
# all ways in which the runtime finds the tool, and runs in which the library uses no threads.
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
