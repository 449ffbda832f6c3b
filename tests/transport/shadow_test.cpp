// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "ranks/mpi_error.hpp"
#include "ranks/port.hpp"
#include "ranks/world.hpp"
#include "support/catch.hpp"
#include "team/team.hpp"
#include "transport/known_world.hpp"
#include "transport/shadow.hpp"

using namespace helper;
using ranks::Port;
using test_support::KnownWorld;
using transport::Shadow;

namespace {

/// Calls `look(shadow)` with the shadow of a new copy of the world. This rank offers the terms `terms`.
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

TEST_CASE("Ranks have ports of one number, whatever each has leased before") {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const KnownWorld world;
  const std::int64_t all = (std::int64_t{ranks::world::largest_tag(MPI_COMM_WORLD)} + 1) / Port::tags;
  const Port held = Port::lease();
  std::int64_t next = held.number() + 1;
  MPI_Allreduce(MPI_IN_PLACE, &next, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  std::vector<Port> ports;
  for (const bool tags_meet : {false, true}) {
    next += 100;
    // Pretends that each rank has been in another number of communicators. If tags_meet, the next port of the
    // even ranks has tags that odd ranks already use, under lower numbers.
    const std::int64_t number = tags_meet ? next + (rank % 2 == 0 ? all : 0) : next + 10 * rank;
    ports.push_back(Port::lease(number));
    if (rank % 2 == 1) ports.push_back(Port::lease(number + 1));
    agree({4096, 0}, [&](const Shadow* shadow) {
      REQUIRE(shadow != nullptr);
      CHECK(!shadow->has_own_communicator());
      std::int64_t extremes[] = {shadow->port(), -shadow->port()};
      MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
      CHECK(extremes[0] == -extremes[1]);
      CHECK(shadow->port() >= number);
      for (const Port& port : ports) CHECK(Port::first_tag(port.number()) != shadow->envelope(rank, 0).tag);
    });
  }
}

TEST_CASE("Where shadows need communicators of their own the program has 2,000 all the same") {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > 2) return; // with more ranks than cores, making them takes long
  team::Team team(0, 1, {});
  team::Member& member = team.add();
  transport::offer({4096, 0});
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int have_own = 0;
  std::vector<MPI_Comm> copies(2000);
  for (MPI_Comm& copy : copies) {
    REQUIRE(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
    const Shadow* const shadow = Shadow::of(copy, member);
    if (shadow != nullptr && shadow->has_own_communicator()) ++have_own;
  }
  CHECK(have_own > 0);
  for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

TEST_CASE("Threads that agree about communicators at once find ports for all") {
  int level = MPI_THREAD_SINGLE;
  int rank = 0;
  MPI_Query_thread(&level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (level != MPI_THREAD_MULTIPLE) return;
  constexpr std::size_t threads = 4;
  const KnownWorld world;
  transport::offer({4096, 0});
  for (int repetition = 0; repetition < 50; ++repetition) {
    std::vector<MPI_Comm> copies(threads);
    for (MPI_Comm& copy : copies) MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    std::atomic<std::size_t> with_ports{0};
    std::vector<std::thread> all;
    for (std::size_t index = 0; index < threads; ++index) {
      // Each rank starts its threads in another order.
      all.emplace_back([&, comm = copies[(index + static_cast<std::size_t>(rank)) % threads]] {
        team::Team team(0, 1, {});
        if (!Shadow::of(comm, team.add())->has_own_communicator()) ++with_ports;
      });
    }
    for (std::thread& thread : all) thread.join();
    CHECK(with_ports == threads);
    for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
  }
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
        } catch (const ranks::PeerGaveUp&) {
          ++told;
        }
      };
      std::vector<std::thread> all;
      if (rank != 0) {
        for (int i = 0; i < threads; ++i) all.emplace_back(learn);
        while (waiting != threads) std::this_thread::yield();
      }
      MPI_Barrier(MPI_COMM_WORLD); // now all threads look
      if (rank == 0) shadow->failure().give_up();
      for (std::thread& thread : all) thread.join();
      CHECK(told == static_cast<int>(all.size()));
      shadow->failure().give_up(); // without this its communicator would be kept
      MPI_Barrier(MPI_COMM_WORLD);
    });
  }
}
