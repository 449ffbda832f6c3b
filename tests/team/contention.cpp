// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>

#include "support/catch.hpp"
#include "team/contention.hpp"
#include "team/pause.hpp"
#include "team/team.hpp"
#include "team_support.hpp"

namespace {

using namespace helper::team;
using namespace std::chrono_literals;
using Duration = Contention::Clock::duration;

// Later in each test than in the previous one, since the thread remembers its last sample.
Contention::Sample sample{Contention::Clock::now()};

/// While the object lives, threads read `sample` instead of the counts of the kernel. The constructor lets
/// this thread read a first sample.
class Samples {
public:
  Samples() {
    Contention::set([]() noexcept { return std::optional(sample); });
    sample.at += 1s;
    Contention::woke(sample.at);
  }
  ~Samples() { Contention::set(Contention::read); }
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;

  /// Advances `sample`. Returns whether this thread sees contention afterwards.
  static bool is_on_after(Duration time, Duration queued, Duration used) {
    pass(time, queued, used);
    return Contention::is_on(sample.at);
  }

  /// Advances `sample` while this thread sleeps. Returns whether the thread sees contention after it wakes.
  static bool is_on_after_sleep(Duration time, Duration queued, Duration used = 0s) {
    pass(time, queued, used);
    Contention::woke(sample.at);
    return Contention::is_on(sample.at);
  }

private:
  static void pass(Duration time, Duration queued, Duration used) {
    sample.at += time;
    sample.queued += queued;
    sample.used += used;
  }
};

/// A process that computes on the calling thread's core. The thread is bound there while it lives.
class Neighbour {
public:
  Neighbour() {
    REQUIRE(sched_getaffinity(0, sizeof before_, &before_) == 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    process_ = fork();
    if (process_ == 0)
      for (;;) asm volatile("");
    REQUIRE(process_ > 0);
  }
  ~Neighbour() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    sched_setaffinity(0, sizeof before_, &before_);
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

private:
  cpu_set_t before_;
  pid_t process_ = -1;
};

} // namespace

TEST_CASE("A thread that wakes late notices that others compete") {
  const test_support::Oversubscribed processes(2, 2); // two processes with one thread each
  const Samples samples;
  CHECK_FALSE(Contention::is_on(sample.at));
  CHECK(Samples::is_on_after_sleep(4ms, 3ms));
}

TEST_CASE("What is no contention") {
  const test_support::Oversubscribed processes(2, 2); // two processes with one thread each
  const Samples samples;
  SECTION("a wake-up that is not late") {
    CHECK_FALSE(Samples::is_on_after_sleep(4ms, 0ms));
  }
  SECTION("a short delay") {
    CHECK_FALSE(Samples::is_on_after_sleep(1ms, 249us));
  }
  SECTION("a delay that is a small part of the time") {
    CHECK_FALSE(Samples::is_on_after_sleep(201ms, 4ms));
  }
  SECTION("a delay by threads of the job, which fill the units") {
    CHECK_FALSE(Samples::is_on_after_sleep(100ms, 50ms, 96ms));
  }
  SECTION("where the kernel does not count it") {
    Contention::set([]() noexcept { return std::optional<Contention::Sample>(); });
    CHECK_FALSE(Samples::is_on_after_sleep(4ms, 3ms));
  }
}

TEST_CASE("Contention lasts for a period, and for another if the thread was delayed meanwhile") {
  const test_support::Oversubscribed processes(2, 2); // two processes with one thread each
  const Samples samples;
  REQUIRE(Samples::is_on_after_sleep(4ms, 3ms));
  constexpr Duration most = Contention::period - 1ms;
  CHECK(Samples::is_on_after(most, 0ms, most / 2));
  SECTION("it ends") {
    CHECK_FALSE(Samples::is_on_after(1ms, 0ms, 1ms));
  }
  SECTION("it goes on") {
    CHECK(Samples::is_on_after(1ms, most / 3, 1ms));
    CHECK(Samples::is_on_after(most, 0ms, most / 2));
    CHECK_FALSE(Samples::is_on_after(1ms, 0ms, 1ms));
  }
  SECTION("a wake-up that is not late ends nothing") {
    REQUIRE(Samples::is_on_after(1ms, most / 3, 1ms));
    CHECK(Samples::is_on_after_sleep(4ms, 0ms));
  }
}

TEST_CASE("A wait does not sleep while others compete") {
  const test_support::Oversubscribed processes(2, 2); // two processes with one thread each
  const Samples samples;
  Waiting waiting;
  waiting.spin = 1ns;
  Team team(Team::solo, 1, waiting);
  const auto comes_to_sleep = [&] {
    Pause pause(team.add(), Woken::by_its_bell);
    Bell::own().ring(); // forgets threads that have slept before
    for (int turn = 0; turn < 1000; ++turn) {
      pause.take();
      if (Bell::own().somebody_may_sleep()) return true;
    }
    return false;
  };
  CHECK(comes_to_sleep());
  REQUIRE(Samples::is_on_after_sleep(100ms, 50ms));
  CHECK_FALSE(comes_to_sleep());
  {
    const test_support::Oversubscribed by_the_job;
    CHECK(comes_to_sleep());
  }
}

// However busy the machine is, the kernel gives the core to the neighbour at some time.
TEST_CASE("A real neighbour is noticed") {
  if (!Contention::read()) {
    WARN("this kernel does not count run-queue delays");
    return;
  }
  Contention::set(Contention::read);
  const Neighbour neighbour;
  std::thread waits([] { // has read no sample yet; bound like this thread
    Team team(Team::solo, 1, {});
    Pause pause(team.add(), Woken::by_its_bell);
    while (!Contention::is_on(Contention::Clock::now())) pause.take();
  });
  waits.join();
  CHECK(Contention::is_on(Contention::Clock::now()));
}
