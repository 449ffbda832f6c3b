// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/staging.hpp"
#include "shm/free_memory.hpp"
#include "shm/node_context.hpp"
#include "shm/segment.hpp"
#include "support/catch.hpp"

using namespace helper;
using pipeline::Stores;

namespace {

constexpr std::size_t slot_bytes = 64 * 1024;
constexpr std::size_t slots = 8;

int size_of_world() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// Used by the functions that replace others, below.
std::size_t free_blocks = 0;
int signals = 0;
bool has_no_pages = false;

/// Makes the arena, once for all tests of the program. It asks for more memory than is free, and signals
/// interrupt it.
void make_arena() {
  if (shm::arena().own() != nullptr) return;
  free_blocks = 2 * slots * static_cast<std::size_t>(size_of_world());
  signals = 2;
  shm::arena().make(ranks::NodeRanks(MPI_COMM_WORLD), 100 * slots * slot_bytes, slot_bytes);
  shm::node_context().slots.divide(0, shm::arena().size(), slot_bytes);
}

/// Returns how many segments of this process still have names. Other programs may have segments.
std::size_t segments_left() {
  const std::string prefix = "mpi_helper." + std::to_string(getpid()) + ".";
  std::size_t left = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    if (entry.path().filename().string().rfind(prefix, 0) == 0) ++left;
  }
  return left;
}

} // namespace

// Replaces a function of the library: returns free_blocks blocks, or unlimited memory if free_blocks is 0.
namespace helper::shm {
std::size_t free_memory(const std::string&) {
  return free_blocks == 0 ? std::numeric_limits<std::size_t>::max() : free_blocks * slot_bytes;
}
} // namespace helper::shm

// Replace functions of the C library. posix_fallocate is interrupted `signals` times. If free_blocks is not
// 0, a file system has that many free blocks. With has_no_pages, madvise gets no pages.
extern "C" {

int posix_fallocate(int file, off_t begin, off_t bytes) {
  if (signals > 0) {
    --signals;
    return EINTR;
  }
  return fallocate(file, 0, begin, bytes) == 0 ? 0 : errno;
}

long syscall(long number, ...) noexcept {
  if (number == SYS_madvise && has_no_pages) {
    errno = EFAULT;
    return -1;
  }
  static const auto real = reinterpret_cast<decltype(&syscall)>(dlsym(RTLD_NEXT, "syscall"));
  std::va_list rest;
  va_start(rest, number);
  std::array<long, 6> arguments{};
  for (long& argument : arguments) argument = va_arg(rest, long);
  va_end(rest);
  return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

int statvfs(const char* file, struct statvfs* state) noexcept {
  static const auto real = reinterpret_cast<decltype(&statvfs)>(dlsym(RTLD_NEXT, "statvfs"));
  if (free_blocks == 0) return real(file, state);
  *state = {};
  state->f_frsize = slot_bytes;
  state->f_blocks = state->f_bavail = free_blocks;
  return 0;
}

} // extern "C"

TEST_CASE("Where a process may not make so large a file there is no arena") {
  REQUIRE(shm::arena().own() == nullptr);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit few{slot_bytes, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &few);
  shm::arena().make(ranks::NodeRanks(MPI_COMM_WORLD), 2 * slot_bytes);
  setrlimit(RLIMIT_FSIZE, &before);
  REQUIRE(shm::arena().own() == nullptr);
}

TEST_CASE("The arena leaves half of the memory to others") {
  make_arena();
  REQUIRE(shm::arena().size() == slots * slot_bytes);
}

TEST_CASE("Nobody leases what the system has no memory for") {
  if (!shm::segment::can_provide()) return; // older systems reserve all memory at once
  make_arena();
  shm::Arena& arena = shm::arena();
  has_no_pages = true;
  REQUIRE(arena.provide(0, slot_bytes)); // has had memory from the start
  REQUIRE(!arena.provide(slot_bytes - 1, 2));
  const pipeline::SharedStaging first(1, slot_bytes, false); // the slot that has memory
  REQUIRE(first.count() == 1);
  REQUIRE(pipeline::SharedStaging(1, slot_bytes, false).count() == 0);
  REQUIRE(shm::node_context().slots.free_blocks() == slots - 2);
  shm::node_context().rooms.divide(slot_bytes, 2 * slot_bytes, shm::room_block);
  REQUIRE(shm::node_context().rooms.lease_next(8192).get() == nullptr);
  has_no_pages = false;
  const std::byte* const at = arena.own() + slot_bytes;
  REQUIRE(shm::node_context().rooms.lease_next(8192).get() == at); // the failed room was returned
  has_no_pages = true;
  arena.own()[slot_bytes] = std::byte{1};
  arena.clear(); // touches no page that has none
  REQUIRE(at[0] == std::byte{0});
  REQUIRE(!arena.provide((slots - 1) * slot_bytes, 1));
  has_no_pages = false;
  shm::node_context().rooms.divide(0, 0, shm::room_block);
  shm::node_context().slots.divide(0, shm::arena().size(), slot_bytes);
}

TEST_CASE("What a rank writes into its slot, all ranks of the node read") {
  make_arena();
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const pipeline::SharedStaging staging(1, slot_bytes, false);
  REQUIRE(staging.count() == 1);
  std::memset(staging[0], rank + 1, slot_bytes);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(size));
  const std::int64_t offset = staging.offset(0);
  MPI_Allgather(&offset, 1, MPI_INT64_T, offsets.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  for (int other = 0; other < size; ++other) {
    const std::byte* const slot = shm::arena().part(other) + offsets[static_cast<std::size_t>(other)];
    const auto value = static_cast<std::byte>(other + 1);
    REQUIRE(std::count(slot, slot + slot_bytes, value) == static_cast<std::ptrdiff_t>(slot_bytes));
  }
  REQUIRE(shm::arena().part(size) == nullptr);
  MPI_Barrier(MPI_COMM_WORLD); // no rank reuses a slot that another rank still reads
}

TEST_CASE("No segment has a name any more") {
  make_arena();
  MPI_Barrier(MPI_COMM_WORLD);
  REQUIRE(segments_left() == 0);
}

TEST_CASE("Slots are leased by halves, run out, and come back") {
  make_arena();
  {
    const pipeline::SharedStaging half(slots, slot_bytes, false);
    REQUIRE(half.count() == slots / 2);
    const pipeline::SharedStaging quarter(slots, slot_bytes, false);
    REQUIRE(quarter.count() == slots / 4);
    const pipeline::SharedStaging eighth(slots, slot_bytes, false);
    const pipeline::SharedStaging last(slots, slot_bytes, false);
    REQUIRE(last.count() == 1);
    const pipeline::SharedStaging none(1, slot_bytes, false);
    REQUIRE(none.count() == 0);
  }
  const pipeline::SharedStaging again(slots, slot_bytes, false);
  REQUIRE(again.count() == slots / 2);
}

TEST_CASE("Slots that are leased together are in a row, whatever was returned first") {
  make_arena();
  {
    auto first = std::make_unique<pipeline::SharedStaging>(1, slot_bytes, false);
    const pipeline::SharedStaging second(1, slot_bytes, false);
    first.reset();
  }
  const pipeline::SharedStaging together(slots, slot_bytes, false);
  REQUIRE(together.count() == slots / 2);
  for (std::size_t slot = 1; slot < together.count(); ++slot)
    REQUIRE(together[slot] == together[slot - 1] + slot_bytes);
}

TEST_CASE("Little that plain stores write is better in rooms") {
  make_arena();
  shm::node_context().rooms.divide(0, slot_bytes, shm::room_block);
  REQUIRE(pipeline::are_better_in_rooms(8192, Stores::plain));
  REQUIRE(!pipeline::are_better_in_rooms(8192, Stores::streaming));
  REQUIRE(!pipeline::are_better_in_rooms(slot_bytes, Stores::plain));
  shm::node_context().rooms.divide(0, 0, shm::room_block);
  REQUIRE(!pipeline::are_better_in_rooms(8192, Stores::plain));
}

TEST_CASE("Slots in rooms are other ones each time, and no rooms if there are too few") {
  make_arena();
  constexpr std::size_t few = 8192;
  shm::node_context().rooms.divide(0, slot_bytes, shm::room_block); // overlaps a slot; nothing is written
  const auto place = [](std::size_t count, bool in_rooms) {
    const pipeline::SharedStaging staging(count, few, in_rooms);
    return staging.offset(count - 1);
  };
  REQUIRE(place(1, true) != place(1, true));
  REQUIRE(place(1, false) == place(1, false));
  {
    const pipeline::SharedStaging two(2, few, true);
    REQUIRE(two.count() == 2);
    REQUIRE(two[1] == two[0] + few);
  }
  const shm::Room all_but_one = shm::node_context().rooms.lease_next(slot_bytes - few);
  REQUIRE(place(2, true) == place(2, false));
  REQUIRE(place(1, true) != place(1, false)); // the leased room was returned
  shm::node_context().rooms.divide(0, 0, shm::room_block);
}
