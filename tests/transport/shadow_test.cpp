// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "team/team.hpp"
#include "transport/mpi_error.hpp"
#include "transport/shadow.hpp"

using namespace helper;
using transport::Shadow;

namespace {

/// The shadow of a copy of the world, whose ranks offer these terms; `look(shadow)` sees it.
template <class Look>
void agree(const transport::Terms& terms, const Look& look) {
  team::Team team(0, 1, {});
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  transport::offer(terms);
  look(Shadow::of(copy, team.add()));
  MPI_Comm_free(&copy);
}

} // namespace

TEST_CASE("Ranks that would choose differently between algorithms have no shadow") {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (const std::uint64_t common : {std::uint64_t{0}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    agree({4096, common}, [](const Shadow* shadow) { CHECK(shadow != nullptr); });
    const bool differs = rank + 1 == size;
    agree({4096, differs ? common ^ 1 : common},
          [&](const Shadow* shadow) { CHECK((shadow == nullptr) == (size > 1)); });
  }
}

TEST_CASE("The smallest chunk of all ranks holds") {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  agree({static_cast<std::size_t>(1000 + rank), 0}, [](const Shadow* shadow) {
    REQUIRE(shadow != nullptr);
    CHECK(shadow->chunk() == 1000);
  });
}

TEST_CASE(
    "Threads that share a shadow all learn that a rank has given up, and none waits for another's message") {
  int level = MPI_THREAD_SINGLE;
  int rank = 0;
  int size = 0;
  MPI_Query_thread(&level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (level != MPI_THREAD_MULTIPLE) return;
  constexpr int threads = 3;
  for (int repetition = 0; repetition < 100; ++repetition) {
    agree({4096, 0}, [&](const Shadow* shadow) {
      std::atomic<int> told{0};
      std::atomic<int> waiting{0};
      const auto learn = [&] {
        ++waiting;
        try {
          for (;;) shadow->failure().check_peers();
        } catch (const transport::PeerGaveUp&) {
          ++told;
        }
      };
      std::vector<std::thread> all;
      if (rank != 0) {
        for (int i = 0; i < threads; ++i) all.emplace_back(learn);
        while (waiting != threads) std::this_thread::yield();
      }
      MPI_Barrier(MPI_COMM_WORLD); // all look already
      if (rank == 0) shadow->failure().give_up();
      for (std::thread& thread : all) thread.join();
      CHECK(told == static_cast<int>(all.size()));
      shadow->failure().give_up(); // or its communicator would be kept
      MPI_Barrier(MPI_COMM_WORLD);
    });
  }
}
