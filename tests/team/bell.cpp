// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests that no ring of a bell is missed. Two threads alternate, and the waiting thread sleeps without a time
// limit. If a ring is missed, both sleep forever.

#include <array>
#include <thread>

#include "support/catch.hpp"
#include "team/bell.hpp"
#include "team/futex.hpp"

using namespace helper::team;

namespace {

constexpr int turns = 5000;

/// Sleeps on the bell until `turn` is `awaited`.
void await(Bell& bell, const std::atomic<int>& turn, int awaited) {
  const futex::Word never{0};
  std::uint32_t seen = bell.announce(false);
  while (turn.load(std::memory_order_acquire) != awaited) {
    futex::wait_either(never, 0, bell.word(), seen, futex::Clock::time_point::max());
    seen = bell.announce(false);
  }
}

/// Alternates with another thread: sleeps on `own`, and rings `others`. The thread with `first` 0 begins.
void take_turns(Bell& own, Bell& others, std::atomic<int>& turn, int first) {
  for (int mine = first; mine < 2 * turns; mine += 2) {
    await(own, turn, mine);
    turn.store(mine + 1, std::memory_order_release);
    others.ring();
  }
}

} // namespace

TEST_CASE("no ring is missed") {
  const bool membarrier = GENERATE(false, true);
  if (membarrier && !Bell::register_membarrier()) return;
  Bell::set_own(Bell::own(), membarrier);
  std::array<Bell, 2> bells;
  std::atomic<int> turn{0};
  std::thread other([&] { take_turns(bells[1], bells[0], turn, 1); });
  take_turns(bells[0], bells[1], turn, 0);
  other.join();
  CHECK(turn.load() == 2 * turns);
  Bell::set_own(Bell::own(), false);
}

TEST_CASE("a bell rings once for each time that somebody may sleep") {
  Bell bell;
  bell.ring();
  CHECK(bell.word() == 0);
  const std::uint32_t seen = bell.announce(false);
  bell.ring();
  bell.ring();
  CHECK(bell.word() == seen + 1);
}

TEST_CASE("who asks for MPI's progress wakes those whom MPI may need, and no others") {
  Bell bell;
  const std::uint32_t seen = bell.announce(false);
  bell.call_for_progress();
  CHECK(bell.word() == seen);
  static_cast<void>(bell.announce(true));
  static_cast<void>(bell.announce(false)); // another thread, which MPI does not need
  bell.call_for_progress();
  CHECK(bell.word() == seen + 1);
  bell.call_for_progress();
  CHECK(bell.word() == seen + 1);
}
