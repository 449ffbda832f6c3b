// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "shm/control.hpp"
#include "shm/node_context.hpp"
#include "shm/room.hpp"
#include "support/catch.hpp"

using namespace helper::ranks;
using namespace helper::shm;

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t rooms = 12 * page;

RoomBuffer& buffer() {
  return node_context().rooms;
}

/// Makes the arena, once for all tests of the program.
void make_arena() {
  if (arena().own() != nullptr) return;
  constexpr std::size_t blocks = ControlPool::most * sizeof(ControlBlock);
  arena().make(NodeRanks(MPI_COMM_WORLD), blocks + rooms);
  node_context().control.divide(0, ControlPool::most);
  buffer().divide(blocks, blocks + rooms, page);
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Returns the control blocks of all ranks of the world.
std::unique_ptr<CommControl> make_control() {
  make_arena();
  std::unique_ptr<CommControl> control = node_context().control.lease();
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  std::uint64_t newest = node_context().control.newest();
  MPI_Allreduce(MPI_IN_PLACE, &newest, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  std::vector<long> indices(all.size());
  const long index = control->index();
  MPI_Allgather(&index, 1, MPI_LONG, indices.data(), 1, MPI_LONG, MPI_COMM_WORLD);
  REQUIRE(control->open(all, indices, {}, world_rank(), newest));
  return control;
}

/// Leases control blocks until none is free.
std::vector<std::unique_ptr<CommControl>> lease_all() {
  std::vector<std::unique_ptr<CommControl>> all;
  while (std::unique_ptr<CommControl> control = node_context().control.lease())
    all.push_back(std::move(control));
  return all;
}

} // namespace

TEST_CASE("What a rank shows in its control block, all ranks see") {
  const auto control = make_control();
  std::uint64_t number = 0;
  for (const bool in_room : {false, true}) {
    for (const std::size_t bytes : {sizeof(int), std::size_t{100}, ControlBlock::payload_bytes}) {
      number = control->begin();
      std::memset(control->place(number, bytes, in_room), world_rank() + 1, bytes);
      MPI_Barrier(MPI_COMM_WORLD);
      for (int rank = 0; rank < control->ranks(); ++rank) {
        const std::byte* const shown = control->shown(rank, number, bytes);
        REQUIRE(std::vector(shown, shown + bytes) == std::vector(bytes, static_cast<std::byte>(rank + 1)));
      }
      MPI_Barrier(MPI_COMM_WORLD); // no rank writes where another one still reads
    }
  }
  control->finish(number);
}

TEST_CASE("What is shown outside of a rank's part is refused") {
  const auto control = make_control();
  const std::uint64_t number = control->begin();
  control->place(number, ControlBlock::payload_bytes, false);
  ControlBlock::Contribution& contribution = control->own().contribution(number);
  for (const std::size_t where : {arena().size(), arena().size() - ControlBlock::payload_bytes + 1,
                                  std::numeric_limits<std::size_t>::max()}) {
    contribution.where = where;
    REQUIRE(control->shown(world_rank(), number, ControlBlock::payload_bytes) == nullptr);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  control->finish(number);
}

TEST_CASE("Room is leased in turn, runs out, and comes back") {
  make_arena();
  MPI_Barrier(MPI_COMM_WORLD);                       // all ranks have finished earlier operations, so
  static_cast<void>(node_context().control.lease()); // that lease() gives back the rooms of these
  REQUIRE(!buffer().pays(page));
  REQUIRE(buffer().pays(page + 1));
  REQUIRE(buffer().pays(rooms / 3));
  REQUIRE(!buffer().pays(rooms / 3 + 1));
  std::set<const std::byte*> places;
  for (int turn = 0; turn < 4; ++turn) places.insert(buffer().lease_next(rooms / 4).get());
  REQUIRE(places.size() == 4);
  for (const std::byte* const place : places)
    REQUIRE((place >= arena().own() && place + rooms / 4 <= arena().own() + arena().size()));

  Room all = buffer().lease_next(rooms);
  REQUIRE(all.get() != nullptr);
  REQUIRE(buffer().lease_next(1).get() == nullptr);
  Room moved(std::move(all));
  REQUIRE(buffer().lease_next(1).get() == nullptr);
  moved = Room();
  REQUIRE(buffer().lease_next(rooms + 1).get() == nullptr);
  REQUIRE(buffer().lease_next(rooms).get() != nullptr);
}

TEST_CASE("Room that is still leased is passed over") {
  make_arena();
  std::vector<Room> leased;
  for (std::size_t index = 0; index < rooms / page; ++index) leased.push_back(buffer().lease_next(page));
  const std::byte* const fifth = leased[5].get();
  const std::byte* const last = leased.back().get();
  leased[5] = Room();
  leased.back() = Room();
  const Room first = buffer().lease_next(page);
  const Room second = buffer().lease_next(page);
  REQUIRE(std::set<const std::byte*>{first.get(), second.get()} == std::set{fifth, last});
  REQUIRE(buffer().lease_next(page).get() == nullptr);
}

TEST_CASE("Room of a control block comes back when all ranks have finished its last operation") {
  auto control = make_control();
  const std::uint64_t number = control->begin();
  control->place(number, ControlBlock::payload_bytes, true);
  MPI_Barrier(MPI_COMM_WORLD);
  const bool first = world_rank() == 0;
  if (first) {
    control->finish(number);
    control.reset();
    static_cast<void>(node_context().control.lease());
  }
  REQUIRE((buffer().lease_next(rooms).get() != nullptr) == (first && arena().parts() == 1));
  MPI_Barrier(MPI_COMM_WORLD);
  if (!first) {
    control->finish(number);
    control.reset();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  static_cast<void>(node_context().control.lease());
  REQUIRE(buffer().lease_next(rooms).get() != nullptr);
}

TEST_CASE("Room of a control block comes back in a later operation, unless a rank may still read there") {
  const auto control = make_control();
  const std::uint64_t number = control->begin();
  control->place(number, ControlBlock::payload_bytes, true);
  control->begin();
  control->place(control->begin(), sizeof(int), true);
  REQUIRE(buffer().lease_next(rooms).get() == nullptr);
  control->finish(number + 2);
  MPI_Barrier(MPI_COMM_WORLD);
  REQUIRE(control->all_finished(number + 2));
  control->begin();
  control->place(control->begin(), sizeof(int), true);
  REQUIRE(buffer().lease_next(rooms).get() != nullptr);
  MPI_Barrier(MPI_COMM_WORLD);
  control->finish(number + 4);
}

TEST_CASE("Indices that make no sense are refused") {
  make_arena();
  const std::vector<int> alone{world_rank()};
  for (const long index : {-1L, static_cast<long>(ControlPool::most), std::numeric_limits<long>::max()}) {
    REQUIRE(!node_context().control.lease()->open(alone, std::vector{index}, {}, 0, 1));
  }
  REQUIRE(!node_context().control.lease()->open(alone, {}, {}, 0, 1));
}

TEST_CASE("Control blocks run out and come back") {
  make_arena();
  MPI_Barrier(MPI_COMM_WORLD); // all ranks have finished earlier operations
  REQUIRE(lease_all().size() == ControlPool::most);
  REQUIRE(lease_all().size() == ControlPool::most);
}

TEST_CASE("A control block is leased again when all ranks have finished its last operation") {
  auto control = make_control();
  const std::uint64_t number = control->begin();
  const bool first = world_rank() == 0;
  REQUIRE(!control->all_finished(number));
  if (first) {
    control->finish(number);
    control.reset();
  }
  const bool alone = first && arena().parts() == 1;
  const std::size_t left = lease_all().size();
  REQUIRE(left == ControlPool::most - (alone ? 0 : 1));
  MPI_Barrier(MPI_COMM_WORLD);
  if (!first) {
    control->finish(number);
    control.reset();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  REQUIRE(lease_all().size() == ControlPool::most);
}

TEST_CASE("Operations have numbers beyond those of every earlier communicator") {
  std::uint64_t last = 0;
  for (int repetition = 0; repetition < 2 * static_cast<int>(ControlPool::most); ++repetition) {
    const auto control = make_control();
    const std::uint64_t number = control->begin();
    REQUIRE(number > last);
    last = number;
    control->finish(number);
  }
}

TEST_CASE("A control block that is kept does not come back") {
  make_arena();
  MPI_Barrier(MPI_COMM_WORLD);
  make_control()->keep();
  MPI_Barrier(MPI_COMM_WORLD);
  REQUIRE(lease_all().size() == ControlPool::most - 1);
}
