// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "shm/node_context.hpp"
#include "shm/room.hpp"
#include "shm/window.hpp"
#include "support/catch.hpp"

using namespace helper::ranks;
using namespace helper::shm;

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t rooms = 12 * page;

/// Makes the arena, once for all tests of the program.
void make_arena() {
  if (arena().own() != nullptr) return;
  constexpr std::size_t frames = OwnFrames::most * sizeof(Frame);
  arena().make(NodeRanks(MPI_COMM_WORLD), frames + rooms);
  node_context().frames.divide(0, OwnFrames::most);
  node_context().rooms.divide(frames, rooms);
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Returns a window of all ranks of the world.
std::unique_ptr<Window> make_window() {
  make_arena();
  std::unique_ptr<Window> window = node_context().frames.lease();
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  std::uint64_t newest = node_context().frames.newest();
  MPI_Allreduce(MPI_IN_PLACE, &newest, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  std::vector<long> indices(all.size());
  const long index = window->index();
  MPI_Allgather(&index, 1, MPI_LONG, indices.data(), 1, MPI_LONG, MPI_COMM_WORLD);
  REQUIRE(window->open(all, indices, {}, world_rank(), newest));
  return window;
}

/// Leases frames until none is free. Returns their windows.
std::vector<std::unique_ptr<Window>> lease_all() {
  std::vector<std::unique_ptr<Window>> all;
  while (std::unique_ptr<Window> window = node_context().frames.lease()) all.push_back(std::move(window));
  return all;
}

} // namespace

TEST_CASE("What a rank shows in its frame, all ranks see") {
  const auto window = make_window();
  std::uint64_t number = 0;
  for (const bool in_room : {false, true}) {
    for (const std::size_t bytes : {sizeof(int), std::size_t{100}, Frame::board_bytes}) {
      number = window->begin();
      std::memset(window->place(number, bytes, in_room), world_rank() + 1, bytes);
      MPI_Barrier(MPI_COMM_WORLD);
      for (int rank = 0; rank < window->ranks(); ++rank) {
        const std::byte* const shown = window->shown(rank, number, bytes);
        REQUIRE(std::vector(shown, shown + bytes) == std::vector(bytes, static_cast<std::byte>(rank + 1)));
      }
      MPI_Barrier(MPI_COMM_WORLD); // no rank writes where another one still reads
    }
  }
  window->finish(number);
}

TEST_CASE("What is shown outside of a rank's part is refused") {
  const auto window = make_window();
  const std::uint64_t number = window->begin();
  window->place(number, Frame::board_bytes, false);
  Frame::FrameSlot& slot = window->own().slot(number);
  for (const std::size_t where :
       {arena().size(), arena().size() - Frame::board_bytes + 1, std::numeric_limits<std::size_t>::max()}) {
    slot.where = where;
    REQUIRE(window->shown(world_rank(), number, Frame::board_bytes) == nullptr);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  window->finish(number);
}

TEST_CASE("Room is leased in turn, runs out, and comes back") {
  make_arena();
  MPI_Barrier(MPI_COMM_WORLD);                      // all ranks have finished earlier operations, so
  static_cast<void>(node_context().frames.lease()); // that lease() gives back the rooms of these
  REQUIRE(!Room::pays(page));
  REQUIRE(Room::pays(page + 1));
  REQUIRE(Room::pays(rooms / 3));
  REQUIRE(!Room::pays(rooms / 3 + 1));
  std::set<const std::byte*> places;
  for (int turn = 0; turn < 4; ++turn) places.insert(Room(rooms / 4).data());
  REQUIRE(places.size() == 4);
  for (const std::byte* const place : places)
    REQUIRE((place >= arena().own() && place + rooms / 4 <= arena().own() + arena().size()));

  Room all(rooms);
  REQUIRE(all.data() != nullptr);
  REQUIRE(Room(1).data() == nullptr);
  Room moved(std::move(all));
  REQUIRE(Room(1).data() == nullptr);
  moved = Room();
  REQUIRE(Room(rooms + 1).data() == nullptr);
  REQUIRE(Room(rooms).data() != nullptr);
}

TEST_CASE("Room that is still leased is passed over") {
  make_arena();
  std::vector<Room> leased;
  for (std::size_t index = 0; index < rooms / page; ++index) leased.emplace_back(page);
  const std::byte* const fifth = leased[5].data();
  const std::byte* const last = leased.back().data();
  leased[5] = Room();
  leased.back() = Room();
  const Room first(page);
  const Room second(page);
  REQUIRE(std::set<const std::byte*>{first.data(), second.data()} == std::set{fifth, last});
  REQUIRE(Room(page).data() == nullptr);
}

TEST_CASE("Room of a window comes back when all ranks have finished its last operation") {
  auto window = make_window();
  const std::uint64_t number = window->begin();
  window->place(number, Frame::board_bytes, true);
  MPI_Barrier(MPI_COMM_WORLD);
  const bool first = world_rank() == 0;
  if (first) {
    window->finish(number);
    window.reset();
    static_cast<void>(node_context().frames.lease());
  }
  REQUIRE((Room(rooms).data() != nullptr) == (first && arena().parts() == 1));
  MPI_Barrier(MPI_COMM_WORLD);
  if (!first) {
    window->finish(number);
    window.reset();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  static_cast<void>(node_context().frames.lease());
  REQUIRE(Room(rooms).data() != nullptr);
}

TEST_CASE("Room of a window comes back in a later operation, unless a rank may still read there") {
  const auto window = make_window();
  const std::uint64_t number = window->begin();
  window->place(number, Frame::board_bytes, true);
  window->begin();
  window->place(window->begin(), sizeof(int), true);
  REQUIRE(Room(rooms).data() == nullptr);
  window->finish(number + 2);
  MPI_Barrier(MPI_COMM_WORLD);
  REQUIRE(window->all_finished(number + 2));
  window->begin();
  window->place(window->begin(), sizeof(int), true);
  REQUIRE(Room(rooms).data() != nullptr);
  MPI_Barrier(MPI_COMM_WORLD);
  window->finish(number + 4);
}

TEST_CASE("Indices that make no sense are refused") {
  make_arena();
  const std::vector<int> alone{world_rank()};
  for (const long index : {-1L, static_cast<long>(OwnFrames::most), std::numeric_limits<long>::max()}) {
    REQUIRE(!node_context().frames.lease()->open(alone, std::vector{index}, {}, 0, 1));
  }
  REQUIRE(!node_context().frames.lease()->open(alone, {}, {}, 0, 1));
}

TEST_CASE("Frames run out and come back") {
  make_arena();
  MPI_Barrier(MPI_COMM_WORLD); // all ranks have finished earlier operations
  REQUIRE(lease_all().size() == OwnFrames::most);
  REQUIRE(lease_all().size() == OwnFrames::most);
}

TEST_CASE("A frame is leased again when all ranks have finished its last operation") {
  auto window = make_window();
  const std::uint64_t number = window->begin();
  const bool first = world_rank() == 0;
  REQUIRE(!window->all_finished(number));
  if (first) {
    window->finish(number);
    window.reset();
  }
  const bool alone = first && arena().parts() == 1;
  const std::size_t left = lease_all().size();
  REQUIRE(left == OwnFrames::most - (alone ? 0 : 1));
  MPI_Barrier(MPI_COMM_WORLD);
  if (!first) {
    window->finish(number);
    window.reset();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  REQUIRE(lease_all().size() == OwnFrames::most);
}

TEST_CASE("Operations have numbers beyond those of every earlier window") {
  std::uint64_t last = 0;
  for (int repetition = 0; repetition < 2 * static_cast<int>(OwnFrames::most); ++repetition) {
    const auto window = make_window();
    const std::uint64_t number = window->begin();
    REQUIRE(number > last);
    last = number;
    window->finish(number);
  }
}

TEST_CASE("A frame that is kept does not come back") {
  make_arena();
  MPI_Barrier(MPI_COMM_WORLD);
  make_window()->keep();
  MPI_Barrier(MPI_COMM_WORLD);
  REQUIRE(lease_all().size() == OwnFrames::most - 1);
}
