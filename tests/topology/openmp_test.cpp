// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "support/catch.hpp"
#include "topology/machine.hpp"

#include <omp.h>

using namespace helper::topology;

// Run with OMP_PROC_BIND and OMP_PLACES. OpenMP has already bound the initial thread to one place. No other
// thread exists whose binding would show another place.
TEST_CASE("the initial thread that OpenMP has bound does not shrink what the process may use") {
  const Machine& machine = Machine::local();
  REQUIRE(omp_get_num_places() == omp_get_num_procs());
  const Cpuset usable = machine.usable();
  CHECK(usable.size() == omp_get_num_places());
  CHECK(machine.thread_binding().size() == 1);
  CHECK(bound_already(machine, usable) == (usable.size() > 1));
}
