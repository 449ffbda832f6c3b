// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <cstddef>

#include "message/message.hpp"
#include "shm/control.hpp"
#include "shm/division.hpp"
#include "support/catch.hpp"

using namespace helper;

namespace {

constexpr std::size_t KiB = 1024;
constexpr std::size_t page = 4096;
constexpr shm::Wanted by_default{5 * 1024 * KiB, 512 * KiB, 768 * KiB};

shm::Division divide(std::size_t bytes, const shm::Wanted& wanted = by_default) {
  return shm::divide_arena(bytes, message::arena_share(bytes), wanted);
}

std::size_t slots(std::size_t bytes, const shm::Division& division) {
  return (bytes - division.begin_of_slots()) / division.chunk;
}

} // namespace

TEST_CASE("A process gets what it wants where a node has enough") {
  const std::size_t bytes = by_default.total();
  const shm::Division division = divide(bytes);
  CHECK(division.control_blocks == shm::ControlPool::most);
  CHECK(division.rooms == by_default.rooms);
  CHECK(division.chunk == by_default.chunk);
  CHECK(slots(bytes, division) == 8);
  CHECK(division.begin_of_slots() % page == page / 2);
  CHECK(shm::Wanted{0, 512 * KiB, 768 * KiB}.total() == 0);
}

TEST_CASE("Of less there are smaller slots, four of them, and room of what they leave") {
  for (std::size_t ranks = 11; ranks <= 200; ++ranks) {
    CAPTURE(ranks);
    const std::size_t bytes = 64 * 1024 * KiB / ranks;
    const shm::Division division = divide(bytes);
    REQUIRE(division.begin_of_slots() <= bytes);
    CHECK(slots(bytes, division) >= 4);
    CHECK(division.begin_of_slots() % page == page / 2);
    CHECK(division.control_blocks > 0);
    CHECK(division.rooms <= by_default.rooms);
  }
  CHECK(divide(64 * 1024 * KiB / 16).rooms == by_default.rooms);
}

TEST_CASE("Of nothing there is nothing") {
  for (const shm::Wanted& wanted : {by_default, shm::Wanted{0, 512 * KiB, 768 * KiB}}) {
    const shm::Division division = divide(0, wanted);
    CHECK(division.messages == 0);
    CHECK(division.control_blocks == 0);
    CHECK(division.rooms == 0);
  }
}

TEST_CASE("What others want does not move messages and control blocks") {
  for (const std::size_t bytes : {300 * KiB, 2000 * KiB, by_default.total()}) {
    CAPTURE(bytes);
    const shm::Division one = divide(bytes);
    const shm::Division other = divide(bytes, {64 * KiB, 16 * KiB, 3000 * KiB});
    CHECK(one.messages == other.messages);
    CHECK(one.begin_of_rooms() == other.begin_of_rooms());
  }
}
