// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <atomic>
#include <chrono>
#include <thread>

#include "support/catch.hpp"
#include "team/team.hpp"

using namespace helper::team;

namespace {

std::atomic<int> awaited{0};   // pieces that are not done
std::atomic<int> available{0}; // awaited pieces that can be done now
std::atomic<int> done{0};

bool pending() noexcept {
  return awaited.load() != 0;
}

bool advance(Member&) noexcept {
  int seen = available.load();
  while (seen != 0 && !available.compare_exchange_weak(seen, seen - 1)) {
  }
  if (seen == 0) return false;
  done.fetch_add(1);
  awaited.fetch_sub(1);
  return true;
}

} // namespace

TEST_CASE("An idle member advances what goes on without its thread, whenever its process is rung") {
  hooks.pending = pending;
  hooks.advance = advance;
  Waiting waiting;
  waiting.spin = std::chrono::nanoseconds(GENERATE(0, 100'000));
  done = 0;
  Team team(0, 2, waiting);
  std::thread helper([&] {
    Member& member = team.add();
    team.join(member, "JOIN");
    team.leave(member, "LEAVE");
  });
  constexpr int rounds = 40;
  constexpr int pieces = 3;
  for (int round = 1; round <= rounds; ++round) {
    awaited = pieces; // from now on the helper may sleep on the bell
    team.ring_for_progress();
    for (int i = 0; i < round % 8; ++i) std::this_thread::yield();
    available = pieces;
    Bell::own().ring();
    while (done.load() != round * pieces) std::this_thread::yield(); // hangs if a ring was missed
  }
  Member& member = team.add();
  team.join(member, "JOIN");
  team.leave(member, "LEAVE");
  helper.join();
  CHECK(done == rounds * pieces);
}
