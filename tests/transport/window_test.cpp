// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <catch2/catch.hpp>

#include <mpi.h>

#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "transport/arena.hpp"
#include "transport/window.hpp"

using namespace helper::transport;

namespace {

/// Makes the arena once for all tests of the program.
void make_arena() {
  if (arena::own() != nullptr) return;
  arena::make(MPI_COMM_WORLD, Window::most_leased * sizeof(Frame));
  Window::start(0, Window::most_leased);
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// A window of all ranks of the world.
std::unique_ptr<Window> make_window() {
  make_arena();
  std::unique_ptr<Window> window = Window::lease();
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<const std::byte*> parts;
  for (int rank = 0; rank < ranks; ++rank) parts.push_back(arena::part(rank));
  std::uint64_t newest = Window::newest();
  MPI_Allreduce(MPI_IN_PLACE, &newest, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  std::vector<long> indices(parts.size());
  const long index = window->index();
  MPI_Allgather(&index, 1, MPI_LONG, indices.data(), 1, MPI_LONG, MPI_COMM_WORLD);
  REQUIRE(window->open(parts, indices, newest));
  return window;
}

/// As many windows as there are frames left.
std::vector<std::unique_ptr<Window>> lease_all() {
  std::vector<std::unique_ptr<Window>> all;
  while (std::unique_ptr<Window> window = Window::lease()) all.push_back(std::move(window));
  return all;
}

} // namespace

TEST_CASE("What a rank shows in its frame, all ranks see") {
  const auto window = make_window();
  const std::uint64_t number = window->begin();
  Frame::Slot& own = window->own().slots[0];
  for (const std::size_t bytes : {sizeof(int), Frame::slot_bytes}) {
    std::memset(own.data(bytes), world_rank() + 1, bytes);
  }
  own.value.store(number << Frame::Slot::size_bits, std::memory_order_release);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int rank = 0; rank < window->ranks(); ++rank) {
    const Frame::Slot& slot = window->of(rank).slots[0];
    REQUIRE(slot.value.load(std::memory_order_acquire) == number << Frame::Slot::size_bits);
    for (const std::size_t bytes : {sizeof(int), Frame::slot_bytes}) {
      const std::vector<std::byte> seen(slot.data(bytes), slot.data(bytes) + bytes);
      REQUIRE(seen == std::vector(bytes, static_cast<std::byte>(rank + 1)));
    }
  }
  MPI_Barrier(MPI_COMM_WORLD); // nobody gives back what another still looks at
  window->finish(number);
}

TEST_CASE("Indices that make no sense are refused") {
  make_arena();
  const std::vector<const std::byte*> parts{arena::own()};
  for (const long index : {-1L, static_cast<long>(Window::most_leased), std::numeric_limits<long>::max()}) {
    REQUIRE(!Window::lease()->open(parts, std::vector{index}, 1));
  }
  REQUIRE(!Window::lease()->open(parts, {}, 1));
}

TEST_CASE("Frames run out and come back") {
  make_arena();
  MPI_Barrier(MPI_COMM_WORLD); // all have finished what came before
  REQUIRE(lease_all().size() == Window::most_leased);
  REQUIRE(lease_all().size() == Window::most_leased);
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
  const bool alone = first && arena::parts() == 1;
  const std::size_t left = lease_all().size();
  REQUIRE(left == Window::most_leased - (alone ? 0 : 1));
  MPI_Barrier(MPI_COMM_WORLD);
  if (!first) {
    window->finish(number);
    window.reset();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  REQUIRE(lease_all().size() == Window::most_leased);
}

TEST_CASE("Operations have numbers beyond those of every earlier window") {
  std::uint64_t last = 0;
  for (int repetition = 0; repetition < 2 * static_cast<int>(Window::most_leased); ++repetition) {
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
  REQUIRE(lease_all().size() == Window::most_leased - 1);
}
