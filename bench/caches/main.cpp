// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Prints how often the cores of two ranks of a node share a cache (near) or not (far), as the library
// measures it. On virtual machines this changes within seconds.

#include "common/bench.hpp"
#include "common/binding.hpp"
#include "common/shared_memory.hpp"

#include "shm/shared_cache.hpp"

#include <mpi.h>

#include <new>

namespace {

void look(int rank) {
  constexpr double seconds = 0.2;
  constexpr int attempts = 3; // some may be interrupted: the majority counts
  bench::bind_to_core(rank);
  const bench::SharedMemory memory(sizeof(helper::shm::ProbedLines));
  auto& probe = *(rank == 0 ? new (memory.data()) helper::shm::ProbedLines
                            : static_cast<helper::shm::ProbedLines*>(memory.data()));
  MPI_Barrier(MPI_COMM_WORLD);
  int near = 0, far = 0;
  const double end = MPI_Wtime() + seconds;
  for (bool goes_on = true; goes_on; MPI_Bcast(&goes_on, 1, MPI_CXX_BOOL, 0, MPI_COMM_WORLD)) {
    int seen = 0;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      if (rank == 1) probe.read();
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 0 && probe.are_near().value_or(false)) ++seen;
      MPI_Barrier(MPI_COMM_WORLD);
    }
    ++(2 * seen > attempts ? near : far);
    goes_on = MPI_Wtime() < end;
  }
  if (rank == 0) fmt::print("near: {} samples, far: {} samples\n", near, far);
}

} // namespace

int main(int argc, char** argv) {
  bench::Program program("caches", "Whether the cores of two ranks share a cache. Run it with mpiexec -n 2.");
  return program.run_ranks(argc, argv, look);
}
