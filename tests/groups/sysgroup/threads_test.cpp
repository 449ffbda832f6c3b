// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Several threads use groups at the same time, each its own group.

#include <atomic>
#include <thread>
#include <vector>

#include "groups/sysgroup/groups.hpp"
#include "support/catch.hpp"
#include "support/mpi_support.hpp"

using namespace test_support;

TEST_CASE("threads enrol and communicate at once") {
  constexpr int threads = 3;
  constexpr int rounds = 30;
  constexpr std::size_t elements = 30000;
  const int size = size_of(MPI_COMM_WORLD);
  const int rank = rank_of(MPI_COMM_WORLD);
  std::vector<MPIX_Sysgroup> groups(threads);
  for (MPIX_Sysgroup& group : groups) MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &group);

  std::atomic<int> wrong{0};
  const auto work = [&](int thread) {
    const MPIX_Sysgroup all = groups[static_cast<std::size_t>(thread)];
    std::vector<int> data(elements), sums(elements);
    for (int round = 0; round < rounds; ++round) {
      MPIX_Sysgroup some = MPIX_SYSGROUP_NULL;
      const bool participates = (rank + round + thread) % 3 != 0;
      MPIX_Sysgroup_enroll(all, participates ? 1 : 0, MPI_INFO_NULL, &some);
      if (!participates) continue;
      int members = 0;
      MPIX_Sysgroup_size(some, &members);
      data.assign(elements, thread + 1);
      MPI_Request request = MPI_REQUEST_NULL;
      MPIX_Sysgroup_iallreduce(data.data(), sums.data(), static_cast<int>(elements), MPI_INT, MPI_SUM, some,
                               &request);
      if (round % 2 == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      else
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
      if (sums != std::vector<int>(elements, members * (thread + 1))) ++wrong;
      MPIX_Sysgroup_allreduce(MPI_IN_PLACE, data.data(), static_cast<int>(elements), MPI_INT, MPI_SUM, some);
      if (data != sums) ++wrong;
      MPIX_Sysgroup_free(&some);
    }
  };
  std::vector<std::thread> workers;
  for (int thread = 0; thread < threads; ++thread) workers.emplace_back(work, thread);
  for (std::thread& worker : workers) worker.join();
  CHECK(wrong == 0);
  CHECK(size > 0);
  for (MPIX_Sysgroup& group : groups) MPIX_Sysgroup_free(&group);
}
