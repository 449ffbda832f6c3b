# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# Intel's MPI Benchmarks. With CHECK they check the received data, and show errors in the last column.

repository=https://github.com/intel/mpi-benchmarks
revision=

imb_programs=(MPI1 NBC EXT RMA)

build_suite() {
  local program
  for program in "${imb_programs[@]}"; do
    make -C src_cpp "TARGET=$program" CC=mpicc.mpich CXX=mpicxx.mpich CPPFLAGS=-DCHECK
  done
}

# Two ranks: with more ranks than cores, MPICH's ranks wait for one another by polling, and take minutes for each line.
run_suite() {
  local program
  for program in "${imb_programs[@]}"; do
    run_part "$program" 2 "$work/source/src_cpp/IMB-$program" -npmin 2 -iter 4 -time 60 -msglog 0:20
  done
}

results() {
  local log
  for log in "$work/logs/$mode"/*.0; do
    awk -v "program=$(basename -- "$log" .0)" '
      /^# Benchmarking/ { name = $3 }
      /defects$/ { checks = 1 }
      /^#/ && !/defects$/ { checks = 0 }
      checks && $1 ~ /^[0-9]+$/ { print ($NF == "0.00" ? "ok " : "not ok ") program " " name " " $1 }' "$log"
  done
}
