// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The test is linked to the OpenMP runtime of GCC. If the runtime of LLVM is preloaded, it is used instead.

#include <dlfcn.h>
#include <omp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "team/openmp_pool.hpp"
#include "team/team.hpp"
#include "team_support.hpp"

namespace {

using namespace helper::team;
using Obstacle = OpenmpPool::Obstacle;
using test_support::Meeting;

int mark = 0;
#pragma omp threadprivate(mark)

const OpenmpRuntime& runtime() {
  static const OpenmpRuntime* const found = OpenmpRuntime::of(dlsym(RTLD_DEFAULT, "GOMP_parallel"));
  REQUIRE(found != nullptr);
  return *found;
}

/// A team that outlives all threads. own_place() is the member of the calling thread.
Team& team() {
  static auto* const team = new Team(0, 1, Waiting{});
  return *team;
}
Member& own_place() {
  static thread_local Member& place = team().add();
  return place;
}

/// Opens a region of the program. Tells the pool of it, as the shared library does.
template <class Body>
void region(int threads, const Body& body) {
  OpenmpPool::own().opens(runtime(), static_cast<unsigned>(threads), 0U);
#pragma omp parallel num_threads(threads)
  body(omp_get_thread_num());
}

/// Returns the number of threads of the process, as the system counts them.
int threads_of_process() {
  struct stat tasks {};
  return stat("/proc/self/task", &tasks) == 0 ? static_cast<int>(tasks.st_nlink) - 2 : -1;
}

using Ids = std::vector<long>;

/// Opens a region in which each thread marks itself. Returns the ids of the threads, by thread number.
Ids mark_threads(int threads) {
  Ids ids(static_cast<std::size_t>(threads));
  region(threads, [&](int self) {
    mark = 1000 + self;
    ids[static_cast<std::size_t>(self)] = syscall(SYS_gettid);
  });
  return ids;
}

bool are_the_same(const Ids& before) {
  std::vector<char> same(before.size());
  region(static_cast<int>(before.size()), [&](int self) {
    const auto index = static_cast<std::size_t>(self);
    same[index] = mark == 1000 + self && before[index] == syscall(SYS_gettid);
  });
  return std::ranges::count(same, 1) == std::ssize(same);
}

/// Runs a job with a chunk for each thread of the pool. The job ends only if all threads take part.
void meet(OpenmpPool& pool) {
  Meeting meeting(pool.threads());
  Member& self = own_place();
  pool.run(team(), [&] { self.run(meeting.job()); });
}

} // namespace

TEST_CASE("Of a pool nothing is known before the program has had a region") {
  std::thread([] {
    OpenmpPool& pool = OpenmpPool::own();
    if (pool.obstacle() != Obstacle::no_pool) throw std::logic_error("a pool");
    pool.opens(runtime(), 1, 0U); // a region of one thread needs no pool
    if (pool.obstacle() != Obstacle::no_pool) throw std::logic_error("a pool of one");
  }).join();
}

TEST_CASE("All threads of the program's last region help, and no others") {
  OpenmpPool& pool = OpenmpPool::own();
  for (const int threads : {3, 2, 4, 2, 2}) {
    const Ids ids = mark_threads(threads);
    const int before = threads_of_process();
    REQUIRE(pool.obstacle() == Obstacle::none);
    REQUIRE(pool.threads() == threads);
    for (int time = 0; time < 20; ++time) meet(pool);
    CHECK(threads_of_process() <= before); // some threads of the program may still be ending
    CHECK(are_the_same(ids));
  }
}

TEST_CASE("A region of the default size is one of OpenMP's maximum") {
  omp_set_num_threads(3);
  OpenmpPool& pool = OpenmpPool::own();
  pool.opens(runtime(), 0, 0U);
  int threads = 0;
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  CHECK(pool.threads() == threads);
  CHECK(omp_get_max_threads() == 3);
  meet(pool);
  CHECK(omp_get_max_threads() == 3);
}

TEST_CASE("Regions within others, and without other threads, are none of the pool") {
  OpenmpPool& pool = OpenmpPool::own();
  const Ids ids = mark_threads(2);
  Obstacle within = Obstacle::none;
  omp_set_max_active_levels(2);
  region(2, [&](int self) {
    if (self == 0) within = pool.obstacle();
    OpenmpPool::own().opens(runtime(), 3, 0U); // the pool of this thread
#pragma omp parallel num_threads(3)
    { static_cast<void>(self); }
  });
  omp_set_max_active_levels(1);
  CHECK(within == Obstacle::in_region);
  pool.opens(runtime(), 1, 0U);
#pragma omp parallel num_threads(1)
  {}
  CHECK(pool.threads() == 2);
  meet(pool);
  CHECK(are_the_same(ids));
}

TEST_CASE("There is no region where it could change the pool") {
  OpenmpPool& pool = OpenmpPool::own();
  mark_threads(2);
  omp_set_dynamic(1);
  CHECK(pool.obstacle() == Obstacle::settings);
  pool.opens(runtime(), 2, 0U); // it may have two threads or one
  omp_set_dynamic(0);
  CHECK(pool.obstacle() == Obstacle::no_pool);
  mark_threads(2);
  CHECK(pool.obstacle() == Obstacle::none);
  pool.forget();
  CHECK(pool.obstacle() == Obstacle::no_pool);
  mark_threads(2);
  pool.opens(runtime(), 2, std::nullopt);
  CHECK(pool.obstacle() == (omp_get_num_places() == 0 ? Obstacle::none : Obstacle::bindings));
  mark_threads(2);
}

TEST_CASE("What the work throws is thrown") {
  OpenmpPool& pool = OpenmpPool::own();
  const Ids ids = mark_threads(2);
  CHECK_THROWS_AS(pool.run(team(), [] { throw std::runtime_error("thrown"); }), std::runtime_error);
  meet(pool);
  CHECK(are_the_same(ids));
}

TEST_CASE("Threads count while they help") {
  OpenmpPool& pool = OpenmpPool::own();
  mark_threads(3);
  own_place();
  std::atomic<int> threads{1};
  Oversubscription::set(threads, 2, 1);
  bool within = false;
  int size = 0;
  const Oversubscription::CountedThreads own;
  pool.run(team(), [&] {
    within = Oversubscription::if_all_ran();
    size = team().size();
  });
  CHECK(within);
  CHECK(size == 3);
  CHECK_FALSE(Oversubscription::if_all_ran());
  CHECK(team().size() == 1);
  Oversubscription::forget();
}

TEST_CASE("Little data are not worth a region, and much are") {
  OpenmpPool& pool = OpenmpPool::own();
  mark_threads(2);
  CHECK_FALSE(pool.pays(RegionCost::fewest_bytes - 1));
  CHECK(pool.pays(std::size_t{1} << 50));
  CHECK(pool.cost().cost() > RegionCost::Duration(0));
  CHECK(pool.cost().least_bytes() >= RegionCost::fewest_bytes);
}

TEST_CASE("Threads that open regions have pools of their own, which help one team") {
  std::array<int, 3> met{};
  {
    std::vector<std::jthread> owners;
    for (std::size_t owner = 0; owner < met.size(); ++owner) {
      owners.emplace_back([&met, owner] {
        OpenmpPool& pool = OpenmpPool::own();
        region(2, [](int) {});
        for (int time = 0; time < 50; ++time) {
          pool.run(team(), [&] {
            own_place().run(helper::trace::Stage::work, 100, 1, [](std::size_t, std::size_t) noexcept {});
          });
          ++met[owner];
        }
        team().vacate(own_place());
      });
    }
  }
  for (const int times : met) CHECK(times == 50);
}
