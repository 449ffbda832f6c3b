// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <catch2/catch.hpp>

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/shared_staging.hpp"
#include "transport/arena.hpp"

using namespace helper;

namespace {

constexpr std::size_t slot_bytes = 64 * 1024;
constexpr std::size_t slots = 8;

/// Makes the arena once for all tests of the program.
void make_arena() {
  if (transport::arena::own() != nullptr) return;
  transport::arena::make(MPI_COMM_WORLD, slots * slot_bytes);
  pipeline::set_shared_slots(0, slot_bytes);
}

/// Segments of this process that can still be found; other programs may be starting at this moment.
std::size_t segments_left() {
  const std::string prefix = "mpi_helper." + std::to_string(getpid()) + ".";
  std::size_t left = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    if (entry.path().filename().string().rfind(prefix, 0) == 0) ++left;
  }
  return left;
}

} // namespace

TEST_CASE("What a rank writes into its slot, all ranks of the node read") {
  make_arena();
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  REQUIRE(transport::arena::size() == slots * slot_bytes);
  const pipeline::SharedStaging staging(1);
  REQUIRE(staging.count() == 1);
  std::memset(staging[0], rank + 1, slot_bytes);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(size));
  const std::int64_t offset = staging.offset(0);
  MPI_Allgather(&offset, 1, MPI_INT64_T, offsets.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  for (int other = 0; other < size; ++other) {
    const std::byte* const slot = transport::arena::part(other) + offsets[static_cast<std::size_t>(other)];
    const auto value = static_cast<std::byte>(other + 1);
    REQUIRE(std::count(slot, slot + slot_bytes, value) == static_cast<std::ptrdiff_t>(slot_bytes));
  }
  REQUIRE(transport::arena::part(size) == nullptr);
  MPI_Barrier(MPI_COMM_WORLD); // nobody reuses a slot that another still reads
}

TEST_CASE("No segment has a name any more") {
  make_arena();
  MPI_Barrier(MPI_COMM_WORLD);
  REQUIRE(segments_left() == 0);
}

TEST_CASE("Slots are leased by halves, run out, and come back") {
  make_arena();
  {
    const pipeline::SharedStaging half(slots);
    REQUIRE(half.count() == slots / 2);
    const pipeline::SharedStaging quarter(slots);
    REQUIRE(quarter.count() == slots / 4);
    const pipeline::SharedStaging eighth(slots);
    const pipeline::SharedStaging last(slots);
    REQUIRE(last.count() == 1);
    const pipeline::SharedStaging none(1);
    REQUIRE(none.count() == 0);
  }
  const pipeline::SharedStaging again(slots);
  REQUIRE(again.count() == slots / 2);
}
