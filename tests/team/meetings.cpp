// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests meetings of members within a phase.

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "team/registry.hpp"
#include "team/team_support.hpp"

using namespace std::chrono_literals;
using namespace helper::team;
using namespace test_support;

namespace {

using Outcome = std::future<std::optional<Complaint>>;

/// The members of a team, in the order of their indices. Each is a thread, and all have joined.
class Crew {
public:
  explicit Crew(int size, const Waiting& waiting = {}) : actors_(static_cast<std::size_t>(size)) {
    static int id = 5000;
    ++id;
    for (Actor& actor : actors_) handles_.push_back(actor.does([&] { return create(id, size, waiting); }));
    for (Outcome& joined : all(join)) REQUIRE(!joined.get());
  }

  std::size_t size() const { return actors_.size(); }
  Actor& operator[](std::size_t index) { return actors_[index]; }

  /// Lets a member call `function`, such as leave. Returns the future error, if any.
  Outcome calls(std::size_t index, void (*function)(Handle)) {
    return actors_[index].begin(
        [function, handle = handles_[index]] { return complaint_about([&] { function(handle); }); });
  }

  std::vector<Outcome> all(void (*function)(Handle)) {
    std::vector<Outcome> outcomes;
    for (std::size_t index = 0; index < size(); ++index) outcomes.push_back(calls(index, function));
    return outcomes;
  }

  /// Lets a member come to a meeting with `part`. A leader calls `act(member, parts)`. Returns the future
  /// error.
  template <class Act>
  Outcome meets(std::size_t index, const Act& act, void* part = nullptr, bool may_lead = true) {
    return actors_[index].begin([&act, part, may_lead, handle = handles_[index]] {
      return complaint_about([&] {
        Member& member = joined(handle, "MEET");
        member.team().meet(member, part, may_lead, "MEET",
                           [&](std::span<void* const> parts) noexcept { act(member, parts); });
      });
    });
  }

private:
  std::vector<Actor> actors_;
  std::vector<Handle> handles_;
};

constexpr auto do_nothing = [](Member&, std::span<void* const>) {};

/// What a leader has seen.
struct Minutes {
  std::vector<int> leaders;
  std::vector<void*> parts;
};

void check(Outcome& outcome, const std::vector<std::string>& words) {
  const std::optional<Complaint> complaint = outcome.get();
  REQUIRE(complaint);
  CHECK(complaint->kind == Misuse::Kind::state);
  for (const std::string& word : words) CHECK_THAT(complaint->text, Catch::Contains(word));
}

} // namespace

TEST_CASE("when all have come, one acts on what they have brought") {
  const int size = GENERATE(1, 2, 5);
  const auto spin = GENERATE(as<std::chrono::nanoseconds>{}, 0s, 100us);
  const int only_leader = GENERATE(-1, 0);
  Crew crew(size, {.spin = spin});
  std::vector<int> parts(crew.size());
  for (int meeting = 0; meeting < 20; ++meeting) {
    Minutes minutes;
    const auto note = [&](Member& leader, std::span<void* const> brought) {
      minutes.leaders.push_back(leader.index());
      minutes.parts.assign(brought.begin(), brought.end());
    };
    std::vector<Outcome> outcomes;
    for (std::size_t index = 0; index < crew.size(); ++index) {
      const bool may_lead = only_leader < 0 || index == static_cast<std::size_t>(only_leader);
      outcomes.push_back(crew.meets(index, note, &parts[index], may_lead));
    }
    for (Outcome& outcome : outcomes) CHECK(!outcome.get());
    REQUIRE(minutes.leaders.size() == 1);
    if (only_leader >= 0) CHECK(minutes.leaders.front() == only_leader);
    for (std::size_t index = 0; index < crew.size(); ++index) CHECK(minutes.parts.at(index) == &parts[index]);
  }
  for (Outcome& left : crew.all(leave)) CHECK(!left.get());
}

TEST_CASE("where none may be the leader, one is all the same") {
  Crew crew(3);
  int leaders = 0;
  const auto count = [&](Member&, std::span<void* const>) { ++leaders; };
  std::vector<Outcome> outcomes;
  for (std::size_t index = 0; index < crew.size(); ++index)
    outcomes.push_back(crew.meets(index, count, nullptr, false));
  for (Outcome& outcome : outcomes) CHECK(!outcome.get());
  CHECK(leaders == 1);
}

TEST_CASE("members work while they wait for the others, and for the leader") {
  Crew crew(3);
  test_support::Meeting before(3);
  test_support::Meeting within(3);
  const auto run_job = [&](Member& leader, std::span<void* const>) { leader.run(within.job()); };
  std::vector<Outcome> outcomes;
  outcomes.push_back(crew.meets(0, run_job));
  outcomes.push_back(crew.meets(1, run_job));
  crew[2].does([&] { presence.member()->run(before.job()); });
  outcomes.push_back(crew.meets(2, run_job));
  for (Outcome& outcome : outcomes) CHECK(!outcome.get());
}

TEST_CASE("a meeting that one cannot come to fails, and those of the next phase do not") {
  const auto ends = GENERATE(&leave, &fence);
  const bool leaves_first = GENERATE(false, true);
  const auto spin = GENERATE(as<std::chrono::nanoseconds>{}, 0s, 100us);
  Crew crew(3, {.spin = spin});
  Outcome left;
  if (leaves_first) left = crew.calls(2, ends);
  Outcome met = crew.meets(0, do_nothing);
  if (!leaves_first) left = crew.calls(2, ends);
  check(met, {"MEET", "missing:", "member 2 (has called LEAVE)", "member 1 (joined, has not come)"});
  Outcome met_late = crew.meets(1, do_nothing);
  check(met_late, {"MEET", "missing: member 2 (has called LEAVE)"});

  Outcome others[] = {crew.calls(0, ends), crew.calls(1, ends)};
  for (Outcome* outcome : {&left, &others[0], &others[1]}) CHECK(!outcome->get());
  if (ends == &leave) {
    for (Outcome& joined : crew.all(join)) CHECK(!joined.get());
  }
  std::vector<Outcome> outcomes;
  for (std::size_t index = 0; index < crew.size(); ++index) outcomes.push_back(crew.meets(index, do_nothing));
  for (Outcome& outcome : outcomes) CHECK(!outcome.get());
}

TEST_CASE("a meeting fails when a member's thread has ended") {
  Crew crew(2);
  Outcome met = crew.meets(0, do_nothing);
  crew[1].end();
  check(met, {"MEET", "1 of its 2 members"});
}

TEST_CASE("meetings are for those in a phase of the team") {
  Crew crew(1);
  CHECK(!crew.calls(0, leave).get());
  Outcome met = crew.meets(0, do_nothing);
  check(met, {"MEET", "not in a phase"});
}

TEST_CASE("a stall report says who has not come to a meeting, or that all have and one acts") {
  static std::promise<std::string> reports[2]; // of the wait of each member, in order
  static std::atomic<int> reported{0};
  const Waiting waiting{.spin = 0s, .stall_report = 1ms, .report = [](const std::string& text) {
                          reports[reported++].set_value(text);
                        }};
  Crew crew(2, waiting);
  std::string all_came;
  const auto wait_for_report = [&](Member&, std::span<void* const>) {
    all_came = reports[1].get_future().get();
  };
  Outcome first = crew.meets(0, wait_for_report);
  CHECK_THAT(reports[0].get_future().get(), Catch::Contains("member 0 of team_id") &&
                                                Catch::Contains("waits in MEET") &&
                                                Catch::Contains("missing: member 1 (joined, has not come)"));
  Outcome second = crew.meets(1, wait_for_report, nullptr, false); // may not lead, so that the first one acts
  CHECK(!first.get());
  CHECK(!second.get());
  CHECK_THAT(all_came, Catch::Contains("member 1 of team_id") &&
                           Catch::Contains("all have come, and one acts for them"));
}
