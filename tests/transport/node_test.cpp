// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "ranks/communicator.hpp"
#include "ranks/node_ranks.hpp"
#include "shm/node_context.hpp"
#include "shm/peer_memory.hpp"
#include "support/catch.hpp"
#include "support/ranks.hpp"
#include "team/futex.hpp"

using namespace helper;
using test_support::rank_of;
using test_support::size_of;

namespace {

team::Bell* bell(int world_rank) {
  return shm::node_state().bell(world_rank);
}

/// Makes the node, once for all tests of the program.
void make_node() {
  if (shm::arena().own() != nullptr) return;
  const ranks::NodeRanks node(MPI_COMM_WORLD);
  shm::node_state().make(node, false);
  shm::node_state().take();
  shm::arena().make(node, 64);
}

using Count = std::atomic<std::uint64_t>;

Count& own_count() {
  return *reinterpret_cast<Count*>(shm::arena().own());
}
const Count& count_of(int rank) {
  return *reinterpret_cast<const Count*>(shm::arena().part(rank));
}

} // namespace

TEST_CASE("two contexts of a node share nothing with one another") {
  make_node();
  static shm::NodeContext other; // static, because it stays mapped
  const ranks::NodeRanks node(MPI_COMM_WORLD);
  other.state.make(node, false);
  other.arena.make(node, 128);
  REQUIRE(other.arena.own() != nullptr);
  REQUIRE(other.arena.own() != shm::arena().own());
  REQUIRE(other.state.bell(rank_of(MPI_COMM_WORLD)) != bell(rank_of(MPI_COMM_WORLD)));

  const std::uint64_t before = own_count();
  reinterpret_cast<Count*>(other.arena.own())
      ->store(100 + static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD)));
  other.state.own_waits_in()->store(7);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int rank = 0; rank < size_of(MPI_COMM_WORLD); ++rank) {
    CHECK(reinterpret_cast<const Count*>(other.arena.part(rank))->load() ==
          100 + static_cast<std::uint64_t>(rank));
    CHECK_FALSE(other.state.is_missing(rank, 7));
    CHECK(shm::node_state().is_missing(rank, 7));
  }
  CHECK(own_count() == before);
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("the processes of a node learn what all of them say, of any number of them at a time") {
  const ranks::NodeRanks node(MPI_COMM_WORLD);
  const ranks::NodeRanks pair(ranks::Communicator([] {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank_of(MPI_COMM_WORLD) / 2, 0, &half);
    return half;
  }()));
  REQUIRE(node.count() == static_cast<std::size_t>(size_of(MPI_COMM_WORLD)));
  CHECK(node.own() == static_cast<std::size_t>(rank_of(MPI_COMM_WORLD)));
  const int first = rank_of(MPI_COMM_WORLD) / 2 * 2;
  CHECK(pair.in_world() ==
        (first + 1 < size_of(MPI_COMM_WORLD) ? std::vector{first, first + 1} : std::vector{first}));

  const auto last = node.count() - 1;
  CHECK(node.least(last - node.own() + 7) == 7);
  CHECK(node.everywhere(true));
  CHECK_FALSE(node.everywhere(node.own() != last));
  CHECK(pair.everywhere(node.own() != 0) == (first != 0));
  CHECK(node.gather(rank_of(MPI_COMM_WORLD)) == node.in_world());
  const std::vector<std::string> texts = node.gather(std::string(node.own(), 'x')); // one text is empty
  REQUIRE(texts.size() == node.count());
  for (std::size_t rank = 0; rank < texts.size(); ++rank) CHECK(texts[rank] == std::string(rank, 'x'));
}

TEST_CASE("every rank has a bell of its own, which all reach") {
  make_node();
  for (int rank = 0; rank < size_of(MPI_COMM_WORLD); ++rank) {
    REQUIRE(bell(rank) != nullptr);
    CHECK((bell(rank) == &team::Bell::own()) == (rank == rank_of(MPI_COMM_WORLD)));
  }
  CHECK(bell(size_of(MPI_COMM_WORLD)) == nullptr);
  CHECK(bell(MPI_UNDEFINED) == nullptr);
  shm::node_state().ring(MPI_UNDEFINED);
}

// A token goes around. A waiting process sleeps without a time limit, so a missed ring stops the token.
TEST_CASE("a process that sleeps is woken by its peer") {
  make_node();
  const bool membarrier = GENERATE(true, false);
  if (!membarrier) team::Bell::set_own(team::Bell::own(), false);
  MPI_Barrier(MPI_COMM_WORLD); // from now on no rank relies on membarrier
  const int rank = rank_of(MPI_COMM_WORLD);
  const int size = size_of(MPI_COMM_WORLD);
  const int next = (rank + 1) % size;
  const Count& before = count_of((rank + size - 1) % size);
  const team::futex::Word never{0};
  const std::uint64_t begun = own_count().load();
  MPI_Barrier(MPI_COMM_WORLD);
  constexpr std::uint64_t rounds = 1000;
  for (std::uint64_t round = begun + 1; round <= begun + rounds; ++round) {
    // Rank 0 starts the token, and the other ranks pass it on.
    const std::uint64_t awaited = rank == 0 ? round - 1 : round;
    std::uint32_t seen = team::Bell::own().announce(false);
    while (before.load(std::memory_order_acquire) != awaited) {
      team::futex::wait_either(never, 0, team::Bell::own().word(), seen,
                               team::futex::Clock::time_point::max());
      seen = team::Bell::own().announce(false);
    }
    own_count().store(round, std::memory_order_release);
    shm::node_state().ring(next);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(count_of(next).load() == begun + rounds);
}

TEST_CASE("where processes may copy from and to one another's memory they do") {
  namespace peer_memory = shm::peer_memory;
  peer_memory::try_copying(ranks::NodeRanks(MPI_COMM_WORLD));
  if (!peer_memory::can_copy()) return;
  struct Memory {
    pid_t process;
    int* shown;
    int* written;
  };
  const auto ranks = static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
  const auto next = (static_cast<std::size_t>(rank_of(MPI_COMM_WORLD)) + 1) % ranks;
  constexpr std::size_t ints = 100000;
  std::vector<int> shown(ints, rank_of(MPI_COMM_WORLD));
  std::vector<int> written(ints, -1);
  std::vector<int> found(ints, -1);
  const Memory mine{getpid(), shown.data(), written.data()};
  std::vector<Memory> all(ranks);
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  const Memory& its = all[next];
  CHECK(peer_memory::read(its.process, its.shown, found.data(), ints * sizeof(int)));
  CHECK(peer_memory::write(its.process, shown.data(), its.written, ints * sizeof(int)));
  CHECK_FALSE(peer_memory::read(its.process, nullptr, found.data(), sizeof(int)));
  MPI_Barrier(MPI_COMM_WORLD);
  const auto before =
      static_cast<int>((static_cast<std::size_t>(rank_of(MPI_COMM_WORLD)) + ranks - 1) % ranks);
  CHECK(found == std::vector<int>(ints, static_cast<int>(next)));
  CHECK(written == std::vector<int>(ints, before));
}
