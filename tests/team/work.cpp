// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests which threads do the work: members take part wherever they are blocked, and none is needed.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "support/catch.hpp"
#include "team/helper_threads.hpp"
#include "team/registry.hpp"
#include "team/team_support.hpp"

using namespace std::chrono_literals;
using namespace helper::team;
using test_support::Actor;
using test_support::Meeting;
using test_support::Oversubscribed;

namespace {

constexpr auto nothing_to_say = [] { return std::string(); };

/// A job that counts how often each element of its range was done, and how many chunks there were.
struct Tally {
  explicit Tally(std::size_t size) : times(size) {}

  Job job(std::size_t grain) { return {count, this, times.size(), grain}; }
  bool each_done(int often) const { return std::ranges::count(times, often) == std::ssize(times); }

  static void count(void* context, std::size_t begin, std::size_t end) noexcept {
    auto* const tally = static_cast<Tally*>(context);
    for (std::size_t i = begin; i < end; ++i) ++tally->times[i];
    tally->chunks.fetch_add(1);
  }

  std::vector<int> times; // only the chunk of an element touches it
  std::atomic<int> chunks{0};
};

/// Waits until the thread sleeps in the kernel.
void await_sleep(pid_t thread) {
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/stat";
  for (std::string id, name, state; state != "S"; std::this_thread::yield())
    std::ifstream(path) >> id >> name >> state;
}

} // namespace

TEST_CASE("a member blocked in LEAVE, FENCE or a wait of its own works") {
  const auto spin = GENERATE(as<std::chrono::nanoseconds>{}, 0s, 20us, 1h);
  const auto blocked_in = GENERATE(as<std::string>{}, "LEAVE", "FENCE", "wait");
  CAPTURE(spin, blocked_in);

  std::atomic<bool> over{false};
  Actor helper;
  const Handle helping = helper.does([&] { return create(1, 2, {.spin = spin}); });
  const pid_t helper_id = helper.does(gettid);
  auto blocked = helper.begin([&] {
    join(helping);
    if (blocked_in == "FENCE") fence(helping);
    if (blocked_in == "wait")
      presence.member()->lend_until([&] { return over.load(); }, nothing_to_say, Woken::perhaps);
    leave(helping);
  });

  const Handle handle = create(1, 2, {});
  join(handle);
  if (spin == 0s && blocked_in != "wait") await_sleep(helper_id);
  Meeting meeting(2);
  presence.member()->run(meeting.job());
  CHECK(presence.member()->chunks_helped() == 0);
  CHECK(presence.member()->team().chunks_helped() == 1);
  over = true;
  if (blocked_in == "FENCE") fence(handle);
  leave(handle);
  blocked.get();
  free(handle);
  helper.does([&] { free(helping); });
}

TEST_CASE("a spinning member works without being woken, as where threads are oversubscribed") {
  Actor helper;
  const Oversubscribed oversubscribed;
  const Waiting waiting{.spin_if_oversubscribed = 1h};
  const Handle helping = helper.does([&] { return create(1, 2, waiting); });
  auto blocked = helper.begin([&] {
    join(helping);
    leave(helping);
  });
  const Handle handle = create(1, 2, waiting);
  join(handle);
  Meeting meeting(2);
  presence.member()->run(meeting.job());
  leave(handle);
  blocked.get();
  free(handle);
}

TEST_CASE("several primaries at once are helped") {
  const auto carry = [](Handle handle, int jobs) {
    join(handle);
    for (int job = 0; job < jobs; ++job) {
      Meeting meeting(2); // both primaries attend to their jobs, so the helper must run a chunk
      presence.member()->run(meeting.job());
    }
    leave(handle);
    free(handle);
  };
  Actor other;
  Actor helper;
  const auto take_part = [] { return create(1, 3, {}); };
  const Handle others = other.does(take_part);
  const Handle helpers = helper.does(take_part);
  auto carried = other.begin([&] { carry(others, 20); });
  auto helped = helper.begin([&] { carry(helpers, 0); });
  carry(take_part(), 20);
  carried.get();
  helped.get();
}

TEST_CASE("helper threads work, and end without having had any") {
  Team team(1, 3, {.spin = GENERATE(as<std::chrono::nanoseconds>{}, 0s, 20us)});
  Member& primary = team.add();
  std::atomic<int> begun{0};
  {
    const HelperThreads helpers(team, 2, [&](int i) { begun.fetch_add(i + 1); });
    for (int repetition = 0; repetition < 20; ++repetition) {
      Meeting meeting(3);
      primary.run(meeting.job());
    }
    CHECK(begun.load() == 3);
  }
  CHECK(team.chunks_helped() == 40);
  const HelperThreads idle(team, 2, [](int) {});
}

TEST_CASE("of the helper threads as many are woken as processing units have no thread") {
  constexpr int units = 3;
  const int idle_units = GENERATE(0, 1);
  std::atomic<int> threads{1};
  Oversubscription::set(threads, units, 1);
  Team team(1, units, {});
  Member& primary = team.add();
  const Oversubscription::CountedThreads own;
  {
    std::array<std::atomic<pid_t>, units - 1> ids{};
    const HelperThreads helpers(team, units - 1, [&](int i) { ids[static_cast<std::size_t>(i)] = gettid(); });
    Meeting all(units);
    primary.run(all.job());
    const Oversubscription::CountedThreads others(units - 1 - idle_units);
    // Waits until both helpers are about to sleep, and then until they sleep. A chunk is counted after it is
    // done.
    const auto await_rest = [&] {
      while (Oversubscription::by_threads() || Oversubscription::room() != idle_units)
        std::this_thread::yield();
      for (const auto& id : ids) await_sleep(id);
    };
    await_rest();
    const auto helped = team.chunks_helped();
    CHECK(team.at_work() == 1 + idle_units);
    Meeting meeting(1 + idle_units); // for the primary and the helpers that are woken
    primary.run(meeting.job());
    await_rest();
    CHECK(team.chunks_helped() == helped + static_cast<std::uint64_t>(idle_units));
    const Oversubscription::CountedThreads more(units - 1);
    CHECK(Oversubscription::by_threads());
  }
  CHECK_FALSE(Oversubscription::if_all_ran());
  Oversubscription::forget();
}

TEST_CASE("a helper that comes to displace a thread that works leaves the rest of a job to it") {
  std::atomic<int> threads{1};
  Oversubscription::set(threads, 2, 1);
  Team team(1, 2, {});
  Member& primary = team.add();
  {
    const HelperThreads helper(team, 1, [](int) {});
    struct {
      std::atomic<bool> has_begun{false}, may_end{false};
    } chunk;
    const auto run = [](void* of, std::size_t, std::size_t) noexcept {
      auto& its = *static_cast<decltype(chunk)*>(of);
      its.has_begun = true;
      while (!its.may_end) std::this_thread::yield();
    };
    const WorkList::Ticket ticket = primary.publish({run, &chunk, 10, 1});
    while (!chunk.has_begun) std::this_thread::yield();
    const Oversubscription::HelperPlace another;
    CHECK(Oversubscription::by_threads());
    chunk.may_end = true;
    while (Oversubscription::by_threads()) std::this_thread::yield(); // until the helper sleeps
    primary.finish(ticket);
  }
  CHECK(team.chunks_helped() <= 2); // a second helper may have been rung only after the first had begun
  Oversubscription::forget();
}

TEST_CASE("a member that sleeps until there is work for it takes no processing unit from others") {
  std::atomic<int> threads{1};
  Oversubscription::set(threads, 1, 1);
  {
    Actor helper;
    const Handle helping = helper.does([] { return create(1, 2, {}); });
    const Handle handle = create(1, 2, {});
    CHECK(Oversubscription::by_threads());
    auto blocked = helper.begin([&] {
      join(helping);
      leave(helping);
    });
    while (Oversubscription::by_threads()) std::this_thread::yield(); // until the helper sleeps
    CHECK(Oversubscription::if_all_ran());
    join(handle);
    leave(handle);
    blocked.get();
    CHECK(Oversubscription::by_threads()); // now the helper may compute
    free(handle);
    helper.does([&] { free(helping); });
  }
  CHECK(threads == 1);
  Oversubscription::forget();
}

/// Fails like a system that can start no more threads, or that has no memory for them.
[[noreturn]] void refuse(bool for_lack_of_memory) {
  if (for_lack_of_memory) throw std::bad_alloc();
  throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
}

TEST_CASE("helper threads work if the system starts no more, and end if memory runs out") {
  Team team(1, 6, {});
  const bool for_lack_of_memory = GENERATE(false, true);
  // The function that each thread calls first. Making its third copy fails.
  struct Begin {
    Begin(int& copies, bool is_memory, std::atomic<std::size_t>& begins)
        : copies_left(copies), is_of_memory(is_memory), begun(begins) {}
    Begin(const Begin& other)
        : copies_left(other.copies_left), is_of_memory(other.is_of_memory), begun(other.begun) {
      if (copies_left-- == 0) refuse(is_of_memory);
    }
    void operator()(int) const { begun.fetch_add(1); }
    int& copies_left;
    bool is_of_memory;
    std::atomic<std::size_t>& begun;
  };
  std::atomic<std::size_t> begun = 0;
  int copies_left = 4;
  const std::function<void(int)> begin{Begin(copies_left, for_lack_of_memory, begun)};
  copies_left = 2;
  if (for_lack_of_memory) {
    CHECK_THROWS_AS(HelperThreads(team, 5, begin), std::bad_alloc);
  } else {
    std::optional<HelperThreads> helpers;
    helpers.emplace(team, 5, begin);
    const std::size_t count = helpers->count();
    CHECK(helpers->refusal() == "Resource temporarily unavailable");
    helpers.reset();
    CHECK(count > 0);
    CHECK(count < 5);
    CHECK(begun == count);
  }
}

TEST_CASE("a primary needs no one") {
  std::optional<Oversubscribed> oversubscribed;
  if (GENERATE(false, true)) oversubscribed.emplace();
  Actor busy;
  const Handle theirs = busy.does([&] { return create(1, 2, {}); });
  busy.does([&] { join(theirs); }); // from now on it computes
  const Handle handle = create(1, 2, {});
  join(handle);
  Tally tally(1000);
  presence.member()->run(tally.job(10));
  CHECK(tally.each_done(1));
  CHECK(tally.chunks == 100);
  CHECK(presence.member()->team().chunks_helped() == 0);
  auto left = busy.begin([&] { leave(theirs); });
  leave(handle);
  left.get();
  free(handle);
}

TEST_CASE("a job is cut into chunks of its grain, and no more of them than can be counted") {
  Team team(1, 1, {});
  Member& member = team.add();
  const auto [size, grain, chunks] = GENERATE(table<std::size_t, std::size_t, int>({
      {0, 1, 0},
      {1, 1, 1},
      {10, 10, 1},
      {11, 10, 2},
      {10, 100, 1},
      {65, 1, 65},
      {256, 1, 256},
      {257, 1, 129},
      {1'000, 3, 167},
      {1'000'000, 1, 256},
      {5, 0, 5},
  }));
  CAPTURE(size, grain);
  Tally tally(size);
  member.run(tally.job(grain));
  CHECK(tally.each_done(1));
  CHECK(tally.chunks == chunks);
}

TEST_CASE("jobs beyond the work list's room are done on the spot") {
  Team team(1, 1, {});
  Member& member = team.add();
  Tally tally(20);
  std::vector<WorkList::Ticket> tickets;
  do tickets.push_back(member.publish(tally.job(10)));
  while (tickets.back() != WorkList::none);
  CHECK(tally.chunks == 1);
  CHECK(member.retire(WorkList::none));

  while (member.help()) {
  }
  for (const WorkList::Ticket ticket : tickets) CHECK(member.retire(ticket));
  CHECK(tally.each_done(static_cast<int>(tickets.size())));
  CHECK(member.publish(tally.job(10)) != WorkList::none);
  while (member.help()) {
  }
}

TEST_CASE("a member does its own jobs first, and those of all others") {
  Team team(1, 3, {});
  Member& oldest = team.add();
  Member& member = team.add();
  Member& newest = team.add();
  Tally own(2);
  Tally older(2);
  Tally newer(2);
  for (auto [publisher, tally] : {std::pair{&oldest, &older}, {&newest, &newer}, {&member, &own}})
    publisher->publish(tally->job(1));

  CHECK(member.help());
  CHECK(member.help());
  CHECK(own.each_done(1));
  CHECK(member.chunks_helped() == 0);
  for (int chunk = 0; chunk < 4; ++chunk) CHECK(member.help());
  CHECK(older.each_done(1));
  CHECK(newer.each_done(1));
  CHECK(member.chunks_helped() == 4);
  CHECK_FALSE(member.help());
}

TEST_CASE("each member does its part of a job, and then the ends of others' parts") {
  Team team(1, 3, {});
  Member& first = team.add();
  Member& owner = team.add();
  Member& last = team.add();
  std::vector<std::size_t> begun;
  const auto record = [&](std::size_t begin, std::size_t) noexcept { begun.push_back(begin); };
  const WorkList::Ticket ticket = owner.publish(Job::of(helper::trace::Stage::work, 9, 1, record));
  for (Member* const member : {&owner, &owner, &first, &last, &owner, &owner, &owner, &first, &last})
    CHECK(member->help());
  CHECK(begun == std::vector<std::size_t>{3, 4, 0, 6, 5, 8, 7, 1, 2});
  CHECK_FALSE(last.help());
  CHECK(owner.retire(ticket));
}

TEST_CASE("a member begins with the same chunk, whoever owns the job and comes first") {
  Team team(1, 2, {});
  std::array<Member*, 2> members{&team.add(), &team.add()};
  for (const std::size_t owner : {0u, 1u}) {
    for (const std::size_t first : {0u, 1u}) {
      std::vector<std::size_t> begun;
      const auto record = [&](std::size_t begin, std::size_t) noexcept { begun.push_back(begin); };
      const auto ticket = members[owner]->publish(Job::of(helper::trace::Stage::work, 2, 1, record));
      CHECK(members[first]->help());
      CHECK(members[1 - first]->help());
      CHECK(begun == std::vector<std::size_t>{first, 1 - first});
      CHECK(members[owner]->retire(ticket));
    }
  }
}

TEST_CASE("of few chunks the owner does the first, whoever does the others") {
  Team team(1, 4, {});
  Member& owner = team.add();
  std::array<Member*, 3> others{&team.add(), &team.add(), &team.add()};
  for (Member* const other : others) {
    std::vector<std::size_t> begun;
    const auto record = [&](std::size_t begin, std::size_t) noexcept { begun.push_back(begin); };
    const WorkList::Ticket ticket = owner.publish(Job::of(helper::trace::Stage::work, 2, 1, record));
    CHECK(other->help());
    CHECK(owner.help());
    CHECK(begun == std::vector<std::size_t>{1, 0});
    CHECK(owner.retire(ticket));
  }
}

TEST_CASE("what is suspected of processing units is forgotten, unless more is known") {
  std::atomic<int> threads{1};
  Oversubscription::set(threads, 1, 1);
  {
    const Oversubscription::Suspected suspected;
    CHECK(Oversubscription::by_threads());
  }
  CHECK_FALSE(Oversubscription::by_threads());
  {
    const Oversubscription::Suspected suspected;
    Oversubscription::set(threads, 2, 1);
  }
  const Oversubscription::CountedThreads first;
  const Oversubscription::CountedThreads second;
  CHECK_FALSE(Oversubscription::by_threads());
  Oversubscription::forget();
}

TEST_CASE("lend_until looks before it works, and returns at once") {
  Team team(1, 1, {});
  Member& member = team.add();
  Tally tally(2);
  member.publish(tally.job(1));
  member.lend_until([] { return true; }, nothing_to_say, Woken::perhaps);
  CHECK(tally.chunks == 0);
  member.lend_until([&] { return tally.chunks == 1; }, nothing_to_say, Woken::perhaps);
  CHECK(tally.chunks == 1);
  member.help();
}
