// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// One thread plays all processes. So nothing happens between a read and a write, and all processes have the
// same caches.

#include <array>
#include <chrono>
#include <cstddef>

#include "shm/shared_cache.hpp"
#include "support/catch.hpp"

using helper::shm::SharedCache;
using Answer = SharedCache::Answer;

namespace {

template <std::size_t processes>
struct Node {
  Node() {
    int process = 0;
    for (SharedCache& cache : of) cache.open(probes, process++);
  }
  std::array<SharedCache::Probe, processes> probes{};
  std::array<SharedCache, processes> of{};
};

constexpr std::array first{0};
constexpr std::array second{1};
constexpr std::array last_two{1, 2};

} // namespace

TEST_CASE("Who looks knows of another process when that has looked in between") {
  Node<2> node;
  CHECK(!node.of[0].look(second)); // asks
  CHECK(!node.of[0].look(second));
  CHECK(node.of[0].with(second) == Answer::unknown);
  while (node.of[0].with(second) == Answer::unknown) {
    node.of[1].look(first);  // answers
    node.of[0].look(second); // measures, if the lines have just been read
  }
}

TEST_CASE("A thread shares a cache with itself") {
  Node<2> node;
  using Clock = std::chrono::steady_clock;
  int known = 0, shared = 0; // an interrupt may make a measurement wrong
  for (const auto end = Clock::now() + std::chrono::milliseconds(100); Clock::now() < end;) {
    node.of[1].look(first);
    node.of[0].look(second);
    const Answer answer = node.of[0].with(second);
    if (answer != Answer::unknown) ++known;
    if (answer == Answer::yes) ++shared;
  }
  REQUIRE(known != 0);
  CHECK(shared > known / 10 * 9);
}

TEST_CASE("All are asked in turn, and nobody is known as long as one is not") {
  Node<3> node;
  for (int measured = 0; measured < 1;) {
    node.of[1].look(first);
    if (node.of[0].look(last_two)) ++measured;
  }
  CHECK(node.of[0].with(last_two) == Answer::unknown);
  while (node.of[0].with(last_two) == Answer::unknown) {
    node.of[1].look(first); // several times if measurements are not conclusive
    node.of[2].look(first);
    node.of[0].look(last_two);
  }
}

TEST_CASE("Who never answers is given up, and others are asked") {
  Node<3> node;
  constexpr std::array third{2};
  node.of[0].look(third);
  for (int looks = 0; node.of[0].with(second) == Answer::unknown; ++looks) {
    REQUIRE(looks < 10000);
    node.of[0].look(second);
    node.of[1].look(first);
  }
  CHECK(node.probes[2].asked_by == 0);
  CHECK(node.of[0].with(third) == Answer::unknown);
}

TEST_CASE("Who looks for the sake of one process a moment after another was measured asks that one") {
  Node<3> node;
  constexpr std::array third{2};
  while (node.of[0].with(second) == Answer::unknown) {
    node.of[0].look(second);
    node.of[1].look(first);
  }
  node.of[0].look(third);
  CHECK(node.probes[2].asked_by == 1);
}

TEST_CASE("Where nobody is there, nobody is waited for") {
  SharedCache alone;
  CHECK(alone.look(second));
  CHECK(alone.with(second) == Answer::no);
  Node<1> node;
  CHECK(node.of[0].look({}));
}
