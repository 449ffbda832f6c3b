// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests the errors of the team interface for misuse, and its reports of long waits.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "team/registry.hpp"
#include "team/team_support.hpp"

using namespace std::chrono_literals;
using namespace helper::team;
using namespace test_support;

namespace {

/// Returns a new team id. Each team needs its own, because some are abandoned before they are complete.
int new_id() {
  static int last = 1000;
  return ++last;
}

/// Checks that there was an error of kind `kind`, and that its text contains all `words`.
void check(const std::optional<Complaint>& complaint, Misuse::Kind kind,
           const std::vector<std::string>& words) {
  REQUIRE(complaint);
  CHECK(complaint->kind == kind);
  for (const std::string& word : words) CHECK_THAT(complaint->text, Catch::Contains(word));
}

/// A team of this thread and another one. Both have joined.
struct Pair {
  Pair() {
    other.does([&] { join(theirs); });
    join(mine);
  }

  /// Lets the other thread leave its phase and free its handle. Returns without waiting for that.
  auto other_goes() {
    return other.begin([&] {
      leave(theirs);
      free(theirs);
    });
  }

  const int id = new_id();
  Actor other;
  const Handle theirs = other.does([&] { return create(id, 2, {}); });
  const Handle mine = create(id, 2, {});
};

struct Function {
  std::string name;
  void (*call)(Handle handle);
};

const std::array<Function, 4> functions{{{"MPI_Helper_team_free", free},
                                         {"MPI_Helper_join", join},
                                         {"MPI_Helper_leave", leave},
                                         {"MPI_Helper_fence", fence}}};

// The stall reports. A test reads them after the threads that report have ended.
std::mutex reports_mutex;
std::vector<std::string> reports;
std::atomic<int> report_count{0}; // counts reports; tests wait for it

void note_report(const std::string& text) {
  const std::lock_guard lock(reports_mutex);
  reports.push_back(text);
  report_count.fetch_add(1);
}

std::vector<std::string> take_reports() {
  const std::lock_guard lock(reports_mutex);
  report_count = 0;
  return std::exchange(reports, {});
}

} // namespace

TEST_CASE("CREATE wants at least one member") {
  const int id = new_id();
  const int size = GENERATE(0, -1);
  check(complaint_about([&] { create(id, size, {}); }), Misuse::Kind::argument,
        {"MPI_Helper_team_create", "team_size " + std::to_string(size), "team_id " + std::to_string(id)});
  CHECK(live().empty());
}

TEST_CASE("CREATE wants the same size from all members") {
  const int id = new_id();
  Actor other;
  other.does([&] { return create(id, 3, {}); });
  check(complaint_about([&] { create(id, 2, {}); }), Misuse::Kind::argument,
        {"MPI_Helper_team_create", "team_size 2", "team_id " + std::to_string(id), "with 3"});
}

TEST_CASE("CREATE takes a thread once") {
  const int id = new_id();
  const Handle handle = create(id, 2, {});
  check(complaint_about([&] { create(id, 2, {}); }), Misuse::Kind::state,
        {"MPI_Helper_team_create", "already a member of team_id " + std::to_string(id)});
  free(handle);
}

TEST_CASE("CREATE takes no one into a complete team") {
  const int id = new_id();
  Actor first;
  Actor second;
  first.does([&] { return create(id, 2, {}); });
  second.does([&] { return create(id, 2, {}); });
  check(complaint_about([&] { create(id, 2, {}); }), Misuse::Kind::state,
        {"MPI_Helper_team_create", "team_id " + std::to_string(id), "all of its 2 members"});
}

TEST_CASE("a handle must be one that the thread created and has not freed") {
  const int id = new_id();
  const int other_id = new_id();
  const Function& function = functions.at(GENERATE(range(std::size_t{0}, functions.size())));
  const Handle never = 123456789;
  check(complaint_about([&] { function.call(never); }), Misuse::Kind::argument,
        {function.name, "team 123456789"});
  check(complaint_about([&] { function.call(0); }), Misuse::Kind::argument, {function.name, "team 0"});

  Actor other;
  const Handle theirs = other.does([&] { return create(id, 1, {}); });
  check(complaint_about([&] { function.call(theirs); }), Misuse::Kind::argument,
        {function.name, std::to_string(theirs)});

  const Handle freed = create(other_id, 1, {});
  free(freed);
  check(complaint_about([&] { function.call(freed); }), Misuse::Kind::argument,
        {function.name, std::to_string(freed)});
}

TEST_CASE("a thread is in one phase at a time") {
  const int id = new_id();
  const int other_id = new_id();
  const Handle one = create(id, 1, {});
  const Handle two = create(other_id, 1, {});
  for (const Function& function : {functions[2], functions[3]}) {
    check(complaint_about([&] { function.call(one); }), Misuse::Kind::state,
          {function.name, "not in a phase of team_id " + std::to_string(id)});
  }

  join(one);
  const Member* const member = presence.member();
  check(complaint_about([&] { join(one); }), Misuse::Kind::state,
        {"MPI_Helper_join", "in a phase of team_id " + std::to_string(id) + " already"});
  check(complaint_about([&] { join(two); }), Misuse::Kind::state,
        {"MPI_Helper_join", "in a phase of team_id " + std::to_string(id) + " already"});
  for (const Function& function : {functions[2], functions[3]}) {
    check(complaint_about([&] { function.call(two); }), Misuse::Kind::state,
          {function.name, "not in a phase of team_id " + std::to_string(other_id)});
  }
  check(complaint_about([&] { free(one); }), Misuse::Kind::state,
        {"MPI_Helper_team_free", "in a phase of team_id " + std::to_string(id)});
  CHECK(presence.member() == member); // none of these calls has had an effect

  free(two);
  leave(one);
  check(complaint_about([&] { leave(one); }), Misuse::Kind::state,
        {"MPI_Helper_leave", "team_id " + std::to_string(id)});
  free(one);
}

TEST_CASE("who waits for a member that is gone is told") {
  const int id = new_id();
  const auto waits = GENERATE(as<Function>{}, functions[2], functions[3]);
  const auto goes = GENERATE(as<std::string>{}, "frees", "ends", "ends joined", "went before");
  CAPTURE(waits.name, goes);
  Actor waiter;
  Actor gone;
  const Handle theirs = gone.does([&] { return create(id, 3, {}); });
  const Handle waiting = waiter.does([&] { return create(id, 3, {}); });
  const Handle mine = create(id, 3, {});
  waiter.does([&] { join(waiting); });
  join(mine);

  const auto go = [&] {
    if (goes == "frees") return gone.does([&] { free(theirs); });
    if (goes == "ends joined") gone.does([&] { join(theirs); });
    gone.end();
  };
  if (goes == "went before") go();
  auto told = waiter.begin([&] { return complaint_about([&] { waits.call(waiting); }); });
  if (goes != "went before") go();

  const std::vector<std::string> words{"team_id " + std::to_string(id), "1 of its 3 members"};
  check(told.get(), Misuse::Kind::state, words);
  check(complaint_about([&] { waits.call(mine); }), Misuse::Kind::state, {waits.name, words[0], words[1]});
  CHECK(presence.member() == nullptr); // the phase has ended anyway
  check(complaint_about([&] { join(mine); }), Misuse::Kind::state, {"MPI_Helper_join", words[0], words[1]});
  free(mine);
  waiter.does([&] { free(waiting); });
  gone.end();
  CHECK(live().empty());
}

TEST_CASE("a phase that was complete is not spoiled by who goes afterwards") {
  Pair pair;
  auto left = pair.other_goes();
  CHECK_FALSE(complaint_about([&] { leave(pair.mine); }));
  left.get();
  free(pair.mine);
}

TEST_CASE("FENCE complains in its own name of a member that has gone in between") {
  Pair pair;
  auto left = pair.other_goes();
  // FENCE may have joined again before the other thread frees its handle. Then the next call fails.
  const auto fenced = complaint_about([&] { fence(pair.mine); });
  if (fenced) {
    check(fenced, Misuse::Kind::state, {"MPI_Helper_fence", "1 of its 2 members"});
  } else {
    check(complaint_about([&] { leave(pair.mine); }), Misuse::Kind::state,
          {"MPI_Helper_leave", "1 of its 2 members"});
  }
  CHECK(presence.member() == nullptr);
  left.get();
  free(pair.mine);
}

TEST_CASE("a stall report says who waits where, and who is missing") {
  const int id = new_id();
  const auto waits = GENERATE(as<Function>{}, functions[2], functions[3]);
  const Waiting waiting{
      .spin = GENERATE(as<std::chrono::nanoseconds>{}, 0s, 1us), .leave_report = 1ms, .report = note_report};
  Actor waiter;
  Actor busy;
  const Handle waiting_handle = waiter.does([&] { return create(id, 4, waiting); });
  const Handle busy_handle = busy.does([&] { return create(id, 4, waiting); });
  const Handle mine = create(id, 4, waiting);
  busy.does([&] { join(busy_handle); });
  auto told = waiter.begin([&] {
    join(waiting_handle);
    return complaint_about([&] { waits.call(waiting_handle); });
  });
  while (report_count == 0) std::this_thread::yield();
  free(mine); // ends the wait with an error
  CHECK(told.get());

  const std::vector<std::string> texts = take_reports();
  REQUIRE(texts.size() == 1);
  for (const std::string& word : std::vector<std::string>{
           "member 0 of team_id " + std::to_string(id), waits.name.c_str(), "member 1 (joined, has not come)",
           "member 2 (has not joined)", "1 that have not created the team"}) {
    CHECK_THAT(texts[0], Catch::Contains(word));
  }
}

TEST_CASE("a helper that is idle in LEAVE is reported only where that is asked for") {
  const int id = new_id();
  const Waiting waiting{.spin = 0s, .stall_report = 1ns, .report = note_report};
  Actor helper;
  const Handle theirs = helper.does([&] { return create(id, 2, waiting); });
  const Handle mine = create(id, 2, waiting);
  auto lent = helper.begin([&] {
    join(theirs);
    leave(theirs);
    free(theirs);
  });
  join(mine);
  std::atomic<bool> helped{false};
  auto work = [&, self = std::this_thread::get_id()](std::size_t, std::size_t) noexcept {
    if (std::this_thread::get_id() != self) helped = true;
  };
  while (!helped) // between two chunks the waiting thread looks at the clock
    presence.member()->run(helper::trace::Stage::work, 2, 1, work);
  leave(mine);
  free(mine);
  lent.get();
  CHECK(take_reports().empty());
}

TEST_CASE("a stalled wait is reported once, in the words of who waits") {
  const Waiting waiting{.stall_report = 1ns, .report = note_report};
  Team team(7, 1, waiting);
  int looks = 0;
  team.add().lend_until([&] { return ++looks == 100; }, [] { return std::string("waiting for Godot"); },
                        Woken::perhaps);
  CHECK(take_reports() == std::vector<std::string>{"waiting for Godot"});
}

TEST_CASE("nothing is reported unless asked for") {
  const auto waiting = GENERATE(as<Waiting>{}, Waiting{.report = note_report}, Waiting{.stall_report = 1ns});
  Team team(7, 1, waiting);
  int looks = 0;
  team.add().lend_until([&] { return ++looks == 100; }, [] { return std::string("waiting for Godot"); },
                        Woken::perhaps);
  CHECK(take_reports().empty());
}
