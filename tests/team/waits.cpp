// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <optional>

#include "support/catch.hpp"
#include "team/bell.hpp"
#include "team/pause.hpp"
#include "team/team.hpp"
#include "team_support.hpp"

namespace {

using namespace helper::team;

bool is_needed = false;
int polls = 0;

/// Makes waits ask whether the process is needed elsewhere. `needed` is the answer. Counts their polls.
class Elsewhere {
public:
  explicit Elsewhere(bool needed) {
    is_needed = needed;
    polls = 0;
    hooks.is_needed = []() noexcept { return is_needed; };
    hooks.poll = []() noexcept { ++polls; };
  }
  ~Elsewhere() { hooks = {}; }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
};

/// Returns whether a member that spins for `spin` sleeps, or is about to, in `turns` unsuccessful polls.
bool comes_to_sleep(Woken woken, int turns, std::chrono::nanoseconds spin = {}) {
  Waiting waiting;
  waiting.spin = waiting.spin_if_oversubscribed = spin;
  Team team(Team::solo, 1, waiting);
  Pause pause(team.add(), woken);
  Bell::own().ring(); // forgets threads that have slept before
  for (int turn = 0; turn < turns; ++turn) {
    pause.take();
    if (Bell::own().somebody_may_sleep()) return true;
  }
  return false;
}

constexpr int turns = 1000;

/// While the object lives, there are two cores for four threads: this thread, one that wants to run, and two
/// that rest.
class TwoRest {
public:
  TwoRest() {
    Oversubscription::set(threads_, 2, 1);
    rest_.emplace();
  }
  ~TwoRest() {
    end();
    Oversubscription::forget();
  }
  TwoRest(const TwoRest&) = delete;
  TwoRest& operator=(const TwoRest&) = delete;

  /// Ends the two threads that rest.
  void end() { rest_.reset(); }

private:
  struct Resting {
    Oversubscription::HelperPlace first_place, second_place;
    Oversubscription::Rest first, second;
  };
  std::atomic<int> threads_{2};
  std::optional<Resting> rest_;
};

std::atomic<int> looks_at_clock{0};

} // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  looks_at_clock.fetch_add(1, std::memory_order_relaxed);
  return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
}

TEST_CASE("The rules for waiting, row by row") {
  struct Row {
    Cores cores;
    bool is_needed, may_sleep;
    BetweenPolls at_first, then, at_last; // while it spins on; until it has yielded; after that
  };
  using enum BetweenPolls;
  constexpr Row rows[] = {
      {Cores::for_threads, false, false, spin, spin, spin},
      {Cores::for_threads, false, true, spin, sleep, sleep},
      {Cores::for_threads, true, false, spin, spin, spin},
      {Cores::for_threads, true, true, spin, spin, spin},
      {Cores::for_processes, false, false, spin, yield, sleep},
      {Cores::for_processes, false, true, spin, yield, sleep},
      {Cores::for_processes, true, false, spin_and_yield, spin_and_yield, spin_and_yield},
      {Cores::for_processes, true, true, spin_and_yield, spin_and_yield, spin_and_yield},
      {Cores::for_fewer, false, false, spin, yield, sleep},
      {Cores::for_fewer, false, true, spin, yield, sleep},
      {Cores::for_fewer, true, false, spin, yield, sleep},
      {Cores::for_fewer, true, true, spin, yield, sleep},
  };
  for (const Row& row : rows) {
    CAPTURE(row.cores, row.is_needed, row.may_sleep);
    WaitCase wait{.cores = row.cores, .is_needed = row.is_needed, .may_sleep = row.may_sleep};
    for (const bool has_yielded : {false, true}) {
      wait.has_yielded = has_yielded;
      wait.spins_on = true;
      CHECK(between_polls(wait) == row.at_first);
      wait.spins_on = false;
      CHECK(between_polls(wait) == (has_yielded ? row.at_last : row.then));
    }
    wait.gives_way = true;
    CHECK(between_polls(wait) == spin_and_nap);
  }
}

TEST_CASE("A wait that spins looks at the clock once in 64 polls") {
  Waiting waiting;
  waiting.spin = std::chrono::hours(1);
  Team team(Team::solo, 1, waiting);
  Pause pause(team.add(), Woken::by_its_bell);
  const int before = looks_at_clock.load();
  for (int turn = 0; turn < 640; ++turn) pause.take();
  const int looks = looks_at_clock.load() - before;
  CHECK(looks >= 10); // otherwise the test does not see them
  CHECK(looks <= 12); // looking for contention takes one more at times
}

TEST_CASE("Who will be rung sleeps") {
  const Elsewhere elsewhere(false);
  CHECK(comes_to_sleep(Woken::by_its_bell, turns));
  CHECK(polls == 0);
}

TEST_CASE("Who waits for helpers sleeps, and calls no MPI though the process is needed elsewhere") {
  const Elsewhere elsewhere(true);
  CHECK(comes_to_sleep(Woken::by_helpers, turns));
  CHECK(polls == 0);
}

TEST_CASE("Who may not be rung spins for ever, or not at all") {
  const Elsewhere elsewhere(false);
  for (const Woken woken : {Woken::by_mpi, Woken::perhaps}) {
    CHECK_FALSE(comes_to_sleep(woken, turns, std::chrono::nanoseconds(1)));
    CHECK(comes_to_sleep(woken, turns));
  }
}

TEST_CASE("Who is needed elsewhere polls for that at each turn, and does not sleep") {
  const Elsewhere elsewhere(true);
  SECTION("where there is room for all threads") {
    CHECK_FALSE(comes_to_sleep(Woken::by_its_bell, turns));
    CHECK(polls == turns);
  }
  SECTION("where there is room for a thread of each process") {
    const test_support::Oversubscribed oversubscribed;
    CHECK_FALSE(comes_to_sleep(Woken::by_its_bell, turns));
    CHECK(polls == turns);
  }
  SECTION("by what it waits for itself") {
    CHECK_FALSE(comes_to_sleep(Woken::by_mpi, turns));
    CHECK(polls == 0);
  }
}

TEST_CASE("Processes that take turns sleep, and poll in between") {
  const Elsewhere elsewhere(true);
  const test_support::Oversubscribed oversubscribed(2);
  CHECK(comes_to_sleep(Woken::by_its_bell, turns));
  CHECK(polls > 0);
}

TEST_CASE("One long wait of a process gives way to threads that sleep for want of processing units") {
  const Elsewhere elsewhere(false);
  const Woken woken = GENERATE(Woken::by_mpi, Woken::perhaps, Woken::by_its_bell);
  TwoRest others;
  Team team(Team::solo, 1, {});
  Pause pause(team.add(), woken), other(team.add(), woken);
  const auto take = [&](int times) {
    for (int turn = 0; turn < times; ++turn) {
      pause.take();
      other.take();
    }
  };
  constexpr int one_sleep = 2; // polls; the first one announces the sleep
  CHECK(Oversubscription::room() == 0);
  while (Oversubscription::room() == 0) take(1);
  take(turns / 10);
  CHECK(Oversubscription::room() == 1);

  SECTION("until it is over") {
    pause.end();
    other.end();
    CHECK(Oversubscription::room() == 0);
  }
  SECTION("until it is needed elsewhere") {
    is_needed = true;
    take(one_sleep);
    CHECK(Oversubscription::room() == 0);
  }
  SECTION("until there is room for all") {
    others.end();
    take(one_sleep);
    CHECK(Oversubscription::room() == INT_MAX);
  }
  SECTION("until there are too many that want to run") {
    {
      const Oversubscription::HelperPlace second, third;
      take(one_sleep);
    }
    CHECK(Oversubscription::room() == 0);
  }
}
