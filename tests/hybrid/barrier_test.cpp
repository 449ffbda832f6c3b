// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <numeric>

#include "hybrid/members.hpp"
#include "support/catch.hpp"
#include "support/shared_counter.hpp"

using namespace test_support;

TEST_CASE("a barrier ends when every member of every rank has come") {
  const Comm world(MPI_COMM_WORLD);
  const int members = members_of(world.rank());
  int all = 0;
  PMPI_Allreduce(&members, &all, 1, MPI_INT, MPI_SUM, world);
  const SharedCounter came(world);

  constexpr int barriers = 20;
  std::vector<int> good(static_cast<std::size_t>(members));
  in_team(members, members - 1, [&](int member, MPI_Helper_team team) {
    for (int barrier = 1; barrier <= barriers; ++barrier) {
      came->fetch_add(1);
      const int code = MPIX_Helper_barrier(team, world);
      if (code == MPI_SUCCESS && came->load() >= barrier * all) ++good[static_cast<std::size_t>(member)];
    }
  });
  REQUIRE(good == std::vector<int>(good.size(), barriers));
}

TEST_CASE("operations follow one another in a phase, with other communication between them") {
  const Comm world(MPI_COMM_WORLD);
  const int members = members_of(world.rank());
  std::vector<int> counts(static_cast<std::size_t>(world.size()));
  PMPI_Allgather(&members, 1, MPI_INT, counts.data(), 1, MPI_INT, world);
  const int all = std::accumulate(counts.begin(), counts.end(), 0);
  std::vector<int> good(static_cast<std::size_t>(members));
  in_team(members, 0, [&](int member, MPI_Helper_team team) {
    for (int round = 0; round < 10; ++round) {
      const int mine = round + 1;
      int sum = 0;
      MPIX_Helper_allreduce(team, &mine, &sum, 1, MPI_INT, MPI_SUM, world);
      int of_one = 1;
      if (member == 0) MPI_Allreduce(MPI_IN_PLACE, &of_one, 1, MPI_INT, MPI_SUM, world);
      MPIX_Helper_bcast(team, &of_one, 1, MPI_INT, world.size() - 1, world);
      MPIX_Helper_barrier(team, MPI_COMM_SELF);
      if (sum == all * mine && of_one == world.size()) ++good[static_cast<std::size_t>(member)];
    }
  });
  REQUIRE(good == std::vector<int>(good.size(), 10));
}

TEST_CASE("several teams communicate at once") {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  if (level != MPI_THREAD_MULTIPLE) return;
  constexpr int teams = 3;
  const Comm world(MPI_COMM_WORLD);
  const int members = members_of(world.rank());
  int all = 0;
  PMPI_Allreduce(&members, &all, 1, MPI_INT, MPI_SUM, world);
  std::vector<Comm> comms;
  for (int team = 0; team < teams; ++team) {
    MPI_Comm copy = MPI_COMM_NULL;
    PMPI_Comm_dup(world, &copy);
    comms.emplace_back(copy);
  }
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int id = 0; id < teams; ++id) {
    threads.emplace_back([&, id] {
      const Comm& comm = comms[static_cast<std::size_t>(id)];
      in_team(
          members, 0,
          [&](int, MPI_Helper_team team) {
            for (const int count : {1, 1000, 50000}) {
              std::vector<long> sums(static_cast<std::size_t>(count), id);
              MPIX_Helper_allreduce(team, MPI_IN_PLACE, sums.data(), count, MPI_LONG, MPI_SUM, comm);
              if (std::ranges::count(sums, static_cast<long>(id) * all) == count) ++right;
            }
          },
          id);
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(right == 3 * teams * members);
}
