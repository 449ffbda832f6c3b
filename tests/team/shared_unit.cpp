// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <sched.h>

#include <thread>

#include "support/catch.hpp"
#include "team/contention.hpp"
#include "team/pause.hpp"
#include "team/shared_unit.hpp"
#include "team/team.hpp"

namespace {

using namespace helper::team;
using namespace std::chrono_literals;

std::atomic<int> yields{0};

cpu_set_t affinity() {
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  return set;
}

/// Binds the calling thread to its core while the object lives.
class Bound {
public:
  Bound() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  }
  ~Bound() { sched_setaffinity(0, sizeof before_, &before_); }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

private:
  cpu_set_t before_ = affinity();
};

/// Notes about cores. At first no thread has been seen on them.
class Notes {
public:
  Notes() { SharedUnit::set(notes_, 0); }
  ~Notes() { SharedUnit::set(nobody_, 0); }
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;

private:
  std::array<SharedUnit::Note, 4> notes_{};
  static inline std::array<SharedUnit::Note, 1> nobody_{};
};

/// Lets another thread note that it runs at `time`. It inherits the binding of this thread.
void another_spins(futex::Clock::time_point time) {
  std::thread([time] { SharedUnit::is_shared(time, true); }).join();
}

/// Returns how often a wait of 1000 polls has yielded.
int yields_of_wait() {
  Team team(Team::solo, 1, {});
  Pause pause(team.add(), Woken::by_mpi);
  const int before = yields;
  for (int poll = 0; poll < 1000; ++poll) pause.take();
  return yields - before;
}

} // namespace

/// Replaces the function of the system in this program.
extern "C" int sched_yield() noexcept {
  ++yields;
  return 0;
}

TEST_CASE("A unit is shared if another thread was seen there lately") {
  const Bound bound;
  const Notes notes;
  const auto now = futex::Clock::now();
  CHECK_FALSE(SharedUnit::is_shared(now, true));
  CHECK_FALSE(SharedUnit::is_shared(now, true)); // only this thread was seen here
  another_spins(now);
  CHECK(SharedUnit::is_shared(now, false));
  CHECK(SharedUnit::is_shared(now + SharedUnit::memory, false));
  CHECK_FALSE(SharedUnit::is_shared(now + SharedUnit::memory + 1ms, false));
}

TEST_CASE("Threads that wait in turns on a unit go on seeing one another") {
  const Bound bound;
  const Notes notes;
  const auto start = futex::Clock::now();
  another_spins(start);
  bool both = true;
  for (auto time = start; time < start + 100ms; time += 4ms) {
    both &= SharedUnit::is_shared(time, false);
    std::thread([&] { both &= SharedUnit::is_shared(time + 2ms, false); }).join();
  }
  CHECK(both);
}

TEST_CASE("A short wait is not noted") {
  const Bound bound;
  const Notes notes;
  const auto now = futex::Clock::now();
  std::thread([now] { SharedUnit::is_shared(now, false); }).join();
  CHECK_FALSE(SharedUnit::is_shared(now, true));
}

TEST_CASE("A wait yields to a thread of the job that spins on its unit") {
  const Bound bound;
  const Notes notes;
  CHECK(yields_of_wait() == 0);
  another_spins(futex::Clock::now());
  CHECK(yields_of_wait() != 0);
}

TEST_CASE("A thread leaves its unit, and its affinity stays as it was") {
  const Notes notes;
  const auto now = futex::Clock::now() + 1h; // long after any move in other tests
  const cpu_set_t before = affinity();
  {
    const Bound bound;
    const cpu_set_t one = affinity();
    CHECK_FALSE(SharedUnit::leave(now)); // the thread is bound to one core
    const cpu_set_t after = affinity();
    CHECK(CPU_EQUAL(&after, &one));
  }
  if (CPU_COUNT(&before) == 1) {
    WARN("there is one processing unit only");
    return;
  }
  SharedUnit::is_shared(now, true);
  const int unit = sched_getcpu();
  CHECK(SharedUnit::leave(now));
  const cpu_set_t after = affinity();
  CHECK(CPU_EQUAL(&after, &before));
  CHECK_FALSE(SharedUnit::leave(now + SharedUnit::stay - 1ms));
  bool bound = false, seen = true;
  std::thread([&] { // runs where this thread was
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(unit), &one);
    bound = sched_setaffinity(0, sizeof one, &one) == 0;
    seen = SharedUnit::is_shared(now, true);
  })
      .join();
  CHECK(bound);
  CHECK_FALSE(seen);
}
