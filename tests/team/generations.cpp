// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests to which team a CREATE leads, how long handles and teams live, and what the thread is to them.

#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "team/registry.hpp"
#include "team/team_support.hpp"

using namespace helper::team;
using test_support::Actor;
using test_support::complaint_about;

namespace {

using Lines = std::vector<std::string>;

/// Creates team `id` of `size` threads and goes through a phase. Returns the handle.
Handle go_through_phase(int id, int size) {
  const Handle handle = create(id, size, {});
  join(handle);
  leave(handle);
  return handle;
}

} // namespace

TEST_CASE("an id can be used again when all have freed it") {
  Actor other;
  for (const int size : {2, 1, 2}) {
    const Handle theirs = size == 2 ? other.does([] { return create(7, 2, {}); }) : 0;
    const Handle mine = create(7, size, {});
    CHECK(live() == Lines{"team_id 7: " + std::to_string(size) + " of " + std::to_string(size) +
                          " members hold a handle"});
    free(mine);
    if (size == 2) other.does([&] { free(theirs); });
    CHECK(live().empty());
  }
}

TEST_CASE("who has freed its handle begins the next generation while others hold the old one") {
  Actor slow;
  auto slow_handle = slow.begin([] { return go_through_phase(7, 2); });
  free(go_through_phase(7, 2));
  const Handle old = slow_handle.get();

  const Handle mine = create(7, 2, {});
  CHECK(live() ==
        Lines{"team_id 7: 1 of 2 members hold a handle", "team_id 7: 1 of 2 members hold a handle"});
  slow.does([&] { free(old); });
  CHECK(live() == Lines{"team_id 7: 1 of 2 members hold a handle"});

  const Handle theirs = slow.does([] { return create(7, 2, {}); });
  auto left = slow.begin([&] {
    join(theirs);
    leave(theirs);
    free(theirs);
  });
  join(mine);
  leave(mine);
  left.get();
  free(mine);
  CHECK(live().empty());
}

TEST_CASE("members meet in the same generation, however far one is ahead") {
  constexpr int ahead = 5;
  Actor slow;
  const Handle first = slow.does([] { return create(7, 2, {}); });
  for (int generation = 0; generation < ahead; ++generation) free(create(7, 2, {}));
  slow.does([&] { free(first); });
  for (int generation = 1; generation < ahead; ++generation) {
    // The slow thread catches up. Each generation that it finds has lost its other member: JOIN fails.
    const Handle behind = slow.does([] { return create(7, 2, {}); });
    CHECK(slow.does([&] { return complaint_about([&] { join(behind); }); }));
    slow.does([&] { free(behind); });
  }
  CHECK(live().empty());
  const Handle theirs = slow.does([] { return create(7, 2, {}); });
  CHECK_FALSE(slow.does([&] { return complaint_about([&] { join(theirs); }); }));
  free(create(7, 2, {}));
}

TEST_CASE("the next generation may have another size, and other members") {
  Actor slow;
  Actor newcomer;
  auto slow_handle = slow.begin([] { return go_through_phase(7, 2); });
  free(go_through_phase(7, 2));
  const Handle old = slow_handle.get();

  const Handle mine = create(7, 3, {});
  const Handle theirs = newcomer.does([] { return create(7, 3, {}); });
  CHECK(complaint_about([&] { create(7, 3, {}); })); // this thread is a member already
  slow.does([&] { free(old); });
  const Handle slows = slow.does([] { return create(7, 3, {}); });
  CHECK(live() == Lines{"team_id 7: 3 of 3 members hold a handle"});
  free(mine);
  newcomer.does([&] { free(theirs); });
  slow.does([&] { free(slows); });
  CHECK(live().empty());
}

TEST_CASE("teams of different ids have nothing to do with each other") {
  const Handle one = create(-1, 1, {});
  const Handle two = create(2147483647, 1, {});
  CHECK(one != two);
  join(two);
  free(one);
  leave(two);
  free(two);
}

TEST_CASE("no two handles that live are the same") {
  constexpr int each = 50;
  std::vector<Actor> actors(4);
  std::set<Handle> handles;
  for (int i = 0; i < each; ++i) {
    for (Actor& actor : actors) {
      handles.insert(actor.does([i] { return create(i, 4, {}); }));
    }
  }
  CHECK(handles.size() == each * actors.size());
  CHECK(handles.count(0) == 0);
}

TEST_CASE("what a membership carries is undone when its handle is freed, by its thread") {
  const Handle handle = create(7, 1, {});
  std::thread::id undone_by;
  on_free(handle, [&] { undone_by = std::this_thread::get_id(); });
  CHECK(undone_by == std::thread::id());
  free(handle);
  CHECK(undone_by == std::this_thread::get_id());
}

TEST_CASE("a thread's memberships end with it") {
  Actor actor;
  actor.does([] { return create(7, 1, {}); });
  actor.does([] { join(create(8, 1, {})); });
  CHECK(live().size() == 2);
  actor.end();
  CHECK(live().empty());
}

TEST_CASE("teams that were forgotten live on in their handles") {
  const Handle handle = create(7, 1, {});
  join(handle);
  forget_all();
  CHECK(live().empty());
  leave(handle);
  free(handle);
  free(create(7, 1, {}));
}

TEST_CASE("a thread is in its member's phase from JOIN to LEAVE") {
  Actor actor;
  CHECK(
      actor.does([] { return presence.undecided() && !presence.outside() && presence.member() == nullptr; }));
  actor.does([] { presence.stay_outside(); });
  const Handle handle = actor.does([] { return create(7, 1, {}); });
  CHECK(actor.does([] { return presence.outside(); }));
  CHECK(actor.does([&] {
    join(handle);
    return !presence.outside() && !presence.undecided() && presence.member()->team().id() == 7;
  }));
  CHECK(actor.does([&] {
    const Member* const member = presence.member();
    fence(handle);
    return presence.member() == member;
  }));
  CHECK(actor.does([&] {
    leave(handle);
    return presence.outside();
  }));
}

TEST_CASE("a phase does not decide for a thread what it is outside") {
  Actor actor;
  CHECK(actor.does([] {
    free(go_through_phase(7, 1));
    return presence.undecided();
  }));
}

TEST_CASE("StepOutside hides the phase, and brings it back") {
  const Handle handle = create(7, 1, {});
  join(handle);
  const Member* const member = presence.member();
  {
    const StepOutside outside;
    CHECK(presence.outside());
    const StepOutside again;
    CHECK(presence.outside());
  }
  CHECK(presence.member() == member);
  leave(handle);
  free(handle);
}

TEST_CASE("a guest is in its team's phase whenever it is in no other, and leaves its place to the next") {
  Team team(0, 2, {});
  const Member* first = nullptr;
  {
    Actor guest;
    first = guest.does([&] { return &be_guest_of(team); });
    CHECK(guest.does([] { return presence.member(); }) == first);
    const Handle handle = guest.does([] { return create(7, 1, {}); });
    CHECK(guest.does([&] {
      join(handle);
      return presence.member()->team().id();
    }) == 7);
    CHECK(guest.does([&] {
      leave(handle);
      return presence.member();
    }) == first);
    Actor second;
    CHECK(second.does([&] { return &be_guest_of(team); }) != first);
  }
  Actor third;
  Actor fourth;
  const std::set<const Member*> places{third.does([&] { return &be_guest_of(team); }),
                                       fourth.does([&] { return &be_guest_of(team); })};
  CHECK(places.size() == 2);
  CHECK(places.count(first) == 1);
}

TEST_CASE("a member's forked child can end its membership, whatever other threads were doing") {
  const Handle handle = create(7, 1, {});
  join(handle);
  std::atomic<bool> over{false};
  Actor other;
  auto done = other.begin([&] {
    while (!over) free(create(8, 1, {}));
  });
  for (int repetition = 0; repetition < 10; ++repetition) {
    const pid_t child = fork();
    if (child == 0) {
      leave(handle);
      free(handle);
      _exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  over = true;
  done.get();
  leave(handle);
  free(handle);
}
