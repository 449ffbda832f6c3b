# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# Open MPI's mpi-test-suite. Each test runs separately, since some of them crash MPICH.

repository=https://github.com/open-mpi/mpi-test-suite
revision=

build_suite() {
  autoreconf --install --force
  CC=mpicc.mpich ./configure
  make
}

# Without the type MPI_TYPE_MIX_LB_UB, with which the suite writes beyond its own buffers.
run_suite() {
  local number
  run_part list 1 "$work/source/mpi_test_suite" --list
  while read -r number; do
    run_part "$number" 2 "$work/source/mpi_test_suite" --test "$number" --datatype 'all,^MPI_TYPE_MIX_LB_UB' \
      --report full --num-values 1000,10000
  done < <(sed -nE 's/^(Environment|P2P|Collective|One-sided) test:([0-9]+) .*/\2/p' "$work/logs/$mode/list.0")
}

# Each rank prints what it starts, and at the end what has failed. If there is no end, the test that it started last has failed.
results() {
  local log
  for log in "$work/logs/$mode"/*.[0-9]; do
    sed -nE \
      -e 's/^.* tests (.*) \([0-9]+\/[0-9]+\), comm (.*) \([0-9]+\/[0-9]+\), type (.*) \([0-9]+\/[0-9]+\).*$/ok \1, \2, \3/p' \
      -e 's/^ERROR class:.* test:(.*) \([0-9]+\), comm (.*) \([0-9]+\), type (.*) \([0-9]+\) number.*$/not ok \1, \2, \3/p' \
      -e 's/^Number of failed tests: .*/end/p' "$log" |
      awk '/^end$/ { ended = 1; next } /^ok / { last = $0 } { print } END { if (!ended && last) print "not " last }'
  done
}
