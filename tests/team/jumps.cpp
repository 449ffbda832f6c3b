// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <csetjmp>
#include <mutex>
#include <string>

#include "support/catch.hpp"
#include "team/registry.hpp"

using namespace helper::team;

namespace {

std::jmp_buf back;
std::string ended;

struct Scope {
  explicit Scope(char of) : name(of) {}
  ~Scope() { ended += name; }
  const char name;
};

/// Calls `function` and returns when it returns or jumps.
void until_it_jumps(void (*function)()) {
  OnJump::expect();
  if (setjmp(back) == 0) function();
}

std::mutex mutex;
int done;

// What it works on is on the stack of the function that is left.
struct Work {
  void operator()(std::size_t begin, std::size_t end) noexcept { done += static_cast<int>(end - begin); }
};

} // namespace

TEST_CASE("a jump ends the scopes that it leaves, from the innermost to the outermost, and no others") {
  ended.clear();
  const JumpSafe<Scope> stays('s');
  until_it_jumps([] {
    const JumpSafe<Scope> outer('o');
    { const JumpSafe<Scope> gone('g'); }
    const JumpSafe<Scope> inner('i');
    std::longjmp(back, 1);
  });
  CHECK(ended == "gio");
}

TEST_CASE("a lock that a jump leaves is unlocked") {
  until_it_jumps([] {
    const JumpSafe<std::lock_guard<std::mutex>> lock(mutex);
    std::longjmp(back, 1);
  });
  CHECK(mutex.try_lock());
  mutex.unlock();
}

TEST_CASE("where a jump leaves a call, the thread is in its phase again, and the call's jobs are done") {
  const Handle handle = create(7, 1, {});
  join(handle);
  const Member* const member = presence.member();
  done = 0;
  until_it_jumps([] {
    Member& caller = *presence.member();
    const InCallUntilJump call(caller, "MPI_Send");
    Work work;
    caller.publish(Job::of(helper::trace::Stage::work, 10, 1, work));
    caller.publish(Job::of(helper::trace::Stage::work, 20, 1, work));
    std::longjmp(back, 1);
  });
  CHECK(done == 30);
  CHECK(presence.member() == member);
  leave(handle);
  free(handle);
}
