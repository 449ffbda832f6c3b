// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Threads behave like OpenMP threads, and report events like a runtime with OMPT. So ThreadSanitizer sees all
// synchronisation, which it does not in a real runtime.

#include "team/openmp_thread.hpp"

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "team/registry.hpp"
#include "team/team.hpp"
#include "team_support.hpp"

namespace {

using namespace helper::team;
using test_support::Meeting;

/// The team for which threads work. own_place() is the member of the calling thread.
Team& team() {
  static auto* const team = new Team(0, 1, Waiting{});
  return *team;
}
Member& own_place() {
  struct Own {
    ~Own() { team().vacate(place); }
    Member& place = team().add();
  };
  static thread_local const Own own;
  return own.place;
}

/// A place of the program at which there is a barrier.
using Place = char;

/// A parallel region of `threads` threads, and its barriers.
class Region {
public:
  explicit Region(int threads) : threads_(threads), barrier_(threads) {}

  /// Calls `body()` in the region. The calling thread is thread number `thread` of the region.
  template <class Body>
  void takes(int thread, const Body& body) {
    OpenmpThread::own()->begins(this, threads_, thread);
    body();
    OpenmpThread::own()->comes_to_barrier(nullptr);
    barrier_.arrive_and_wait();
    OpenmpThread::own()->ends();
  }

  void barrier(const Place& place) {
    OpenmpThread::own()->comes_to_barrier(&place);
    barrier_.arrive_and_wait();
  }

private:
  const int threads_;
  std::barrier<> barrier_;
};

/// Calls `body(region, thread)` in a region, in each of `threads` threads.
template <class Body>
void in_region(int threads, const Body& body) {
  Region region(threads);
  std::vector<std::jthread> others;
  for (int thread = 1; thread < threads; ++thread)
    others.emplace_back([&, thread] { region.takes(thread, [&] { body(region, thread); }); });
  region.takes(0, [&] { body(region, 0); });
}

/// The calling thread is in an MPI call while the object lives.
struct InCallOfMpi {
  OpenmpThread& self = *OpenmpThread::own();
  InCallOfMpi() { self.begins_call(); }
  ~InCallOfMpi() { self.ends_call(); }
  InCallOfMpi(const InCallOfMpi&) = delete;
  InCallOfMpi& operator=(const InCallOfMpi&) = delete;
};

/// Makes an MPI call that ends only if `parties` threads work.
void call(int parties) {
  const InCallOfMpi in_call;
  Meeting meeting(parties);
  own_place().run(meeting.job());
}

/// Lets a thread come from an MPI call to the barrier at `place`. From then on the barrier is known.
void make_known(const Place& place) {
  in_region(2, [&](Region& region, int thread) {
    if (thread == 0) call(1);
    region.barrier(place);
  });
}

/// While the object lives, threads work for the team, and no thread gives up waiting.
struct Started {
  explicit Started(int most = 16) { OpenmpThread::start(team(), most, std::chrono::hours(1)); }
  ~Started() { OpenmpThread::stop(); }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;
};

/// A fixture for tests in which threads come to a known barrier.
struct AtKnownBarrier {
  AtKnownBarrier() { make_known(place); }

  const Started started;
  inline static const Place place{};
};

void await(const std::atomic<bool>& flag) {
  while (!flag.load()) std::this_thread::yield();
}

} // namespace

TEST_CASE("Threads that wait at a barrier for one in a call work, once the barrier is known") {
  const Started started;
  static const Place place{};
  for (const int threads : {2, 3}) {
    make_known(place);
    in_region(threads, [threads](Region& region, int thread) {
      for (int time = 0; time < 20; ++time) {
        if (thread == time % threads) {
          call(threads);
          call(threads);
        }
        region.barrier(place);
        region.barrier(place); // no thread comes here from a call
      }
    });
  }
  CHECK(team().size() == 1);
}

TEST_CASE("Threads that come to a barrier at another place than the one in the call work there, too") {
  const Started started;
  static const std::array<Place, 2> place{};
  static const Place next{};
  in_region(2, [&](Region& region, int thread) {
    for (int time = 0; time < 20; ++time) {
      // The place of thread 1 becomes known only when both threads come to their places the next time.
      if (thread == 0) call(time == 0 ? 1 : 2);
      region.barrier(place.at(static_cast<std::size_t>(thread)));
      region.barrier(next);
    }
  });
  CHECK(team().size() == 1);
}

TEST_CASE_METHOD(AtKnownBarrier, "A call that had no help says so, and one that had") {
  std::vector<char> had(3);
  in_region(2, [&](Region& region, int thread) {
    for (const int parties : {1, 2, 1}) {
      if (thread == 0) {
        const auto before = team().chunks_helped();
        const InCallOfMpi in_call;
        Meeting meeting(parties);
        if (parties == 2) own_place().run(meeting.job());
        had[static_cast<std::size_t>(parties)] = team().chunks_helped() != before;
      }
      region.barrier(place);
    }
  });
  CHECK(had[1] == 0);
  CHECK(had[2] == 1);
}

TEST_CASE("Nobody waits at a barrier that is not known, in a crowd, or where it is not asked for") {
  static const Place places[3]{};
  const auto pass = [](const Place& place) {
    in_region(2, [&](Region& region, int thread) {
      static std::atomic<bool> has_passed;
      if (thread == 0) has_passed = false;
      region.barrier(places[2]); // no thread has come here from a call
      if (thread == 1) {
        OpenmpThread::own()->comes_to_barrier(&place);
        has_passed = true;
      } else {
        await(has_passed);
        OpenmpThread::own()->comes_to_barrier(&place);
      }
    });
  };
  {
    const Started started;
    pass(places[0]);
    make_known(places[1]);
  }
  pass(places[1]);
  const Started with_room_for(1);
  pass(places[1]);
  SUCCEED("all have passed");
}

TEST_CASE_METHOD(AtKnownBarrier, "A thread does not wait while its region has tasks") {
  for (const bool is_late : {false, true}) {
    std::atomic<bool> is_created{false};
    std::atomic<bool> has_passed{false};
    in_region(3, [&](Region& region, int thread) {
      OpenmpThread& self = *OpenmpThread::own();
      if (thread == 0) {
        const InCallOfMpi in_call;
        await(has_passed); // MPI waits for a task, which the thread at the barrier runs
      } else if (thread == 1) {
        if (!is_late) await(is_created);
        self.comes_to_barrier(&place);
        has_passed = true;
      } else {
        while (is_late && team().size() == 1) std::this_thread::yield(); // until thread 1 serves
        self.creates_task();
        is_created = true;
        self.comes_to_barrier(&place);
      }
      if (thread == 0) self.comes_to_barrier(&place);
      // All tasks have ended when the threads leave this barrier.
      region.barrier(place);
      if (thread == 1) call(3);
      region.barrier(place);
    });
  }
}

TEST_CASE_METHOD(AtKnownBarrier, "A region within a call is not taken for the one of the call") {
  Region inner(2);
  std::jthread other;
  in_region(2, [&](Region& region, int thread) {
    if (thread == 0) {
      const InCallOfMpi in_call;
      other = std::jthread([&] { inner.takes(1, [&] { inner.barrier(place); }); });
      inner.takes(0, [&] {
        CHECK(OpenmpThread::own()->threads() == 2);
        inner.barrier(place);
      });
      Meeting meeting(2);
      own_place().run(meeting.job());
    }
    region.barrier(place);
  });
  CHECK(OpenmpThread::own()->threads() == 1);
}

TEST_CASE_METHOD(AtKnownBarrier, "Regions may be nested deeply, be of one thread, and end without a word") {
  std::jthread([] {
    OpenmpThread& self = *OpenmpThread::own();
    for (int time = 0; time < 20; ++time) self.begins(&place, 2, 1); // their ends are not reported
    constexpr int depth = 12;
    for (int level = 0; level < depth; ++level) {
      self.begins(&self, 1, 0);
      self.creates_task();
      self.comes_to_barrier(&place);
    }
    for (int level = 0; level < depth; ++level) self.ends();
    if (self.threads() != 2) throw std::logic_error("another region");
    self.ends();
    self.ends(); // the start of this region was not reported
    if (self.threads() != 1) throw std::logic_error("a region");
  }).join();
  in_region(2, [&](Region& region, int thread) {
    if (thread == 0) call(2);
    region.barrier(place);
  });
  CHECK(OpenmpThread::own()->threads() == 1);
}

TEST_CASE_METHOD(AtKnownBarrier,
                 "Threads leave a barrier that others do not come to, since they have left the region") {
  in_region(3, [&](Region&, int thread) {
    if (thread == 0) call(1);
    if (thread != 2) OpenmpThread::own()->comes_to_barrier(&place); // thread 2 has left the region
  });
}

TEST_CASE_METHOD(AtKnownBarrier, "A thread that waits counts once, though it has called MPI itself") {
  std::atomic<int> threads{1};
  std::atomic<bool> is_crowded{true};
  Oversubscription::set(threads, 2, 1);
  std::jthread([&] {
    in_region(2, [&](Region& region, int thread) {
      be_guest_of(team());
      if (thread == 1) {
        const InCallOfMpi in_call;
        Meeting meeting(2);
        own_place().run(meeting.job());
        is_crowded = Oversubscription::by_threads();
      }
      region.barrier(place);
    });
  }).join();
  Oversubscription::forget();
  CHECK_FALSE(is_crowded.load());
}

TEST_CASE("A thread has the patience to wait for a call, and no more") {
  OpenmpThread::start(team(), 16, std::chrono::milliseconds(1));
  static const Place place{};
  make_known(place);
  std::atomic<bool> has_passed{false};
  in_region(2, [&](Region&, int thread) {
    if (thread == 0) {
      await(has_passed);
      OpenmpThread::own()->comes_to_barrier(&place);
    } else {
      OpenmpThread::own()->comes_to_barrier(&place);
      has_passed = true;
    }
  });
  OpenmpThread::stop();
  CHECK(has_passed.load());
}

TEST_CASE("Several regions at once, with calls and tasks at random, come to all their barriers") {
  const Started started;
  static const Place places[3]{};
  for (const Place& place : places) make_known(place);
  std::vector<std::jthread> owners;
  for (unsigned owner = 0; owner < 3; ++owner) {
    owners.emplace_back([owner] {
      std::minstd_rand deal(owner + 1);
      for (int time = 0; time < 20; ++time) {
        const auto seed = deal();
        in_region(2 + static_cast<int>(seed % 2), [seed](Region& region, int thread) {
          std::minstd_rand random(seed + static_cast<unsigned long>(thread));
          for (const Place& place : places) {
            if (random() % 3 == 0) OpenmpThread::own()->creates_task();
            if (random() % 2 == 0) {
              const InCallOfMpi in_call;
              own_place().run(helper::trace::Stage::work, 100, 1, [](std::size_t, std::size_t) noexcept {});
            }
            region.barrier(place);
          }
        });
      }
    });
  }
  owners.clear();
  CHECK(team().size() == 1);
}
