// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "slow_core.hpp"

#include "common/sleep_debt.hpp"
#include "team/team.hpp"

#include <sys/prctl.h>

namespace bench {
namespace {

using helper::team::Job;
using helper::team::Member;
using helper::team::Woken;
using helper::team::WorkList;
using helper::trace::Track;

struct Debt : SleepDebt {
  bool chunks_only = false;
};

thread_local constinit Debt debt;
thread_local constinit int chunks = 0;

/// The list, the ticket of the job or the member that helps, and the track.
using Work = bool(WorkList*, int, Track*);

/// The linker puts this in the place of the functions by which members work: --wrap.
bool noticed(Work* real, WorkList* list, int which, Track* track) {
  if (debt.chunks_only) debt.forgive();
  const bool ran = real(list, which, track);
  if (ran) {
    ++chunks;
    debt.settle();
  }
  return ran;
}

} // namespace

#define WRAPPED(name, symbol)                                                                                \
  bool real_##name(WorkList*, int, Track*) asm("__real_" symbol);                                            \
  bool wrapped_##name(WorkList*, int, Track*) asm("__wrap_" symbol);                                         \
  bool wrapped_##name(WorkList* list, int which, Track* track) {                                             \
    return noticed(real_##name, list, which, track);                                                         \
  }
WRAPPED(work, "_ZN6helper4team8WorkList4workEiPNS_5trace5TrackE")
WRAPPED(help, "_ZN6helper4team8WorkList4helpEiPNS_5trace5TrackE")

void real_run(Member*, const Job&, Woken) asm("__real__ZN6helper4team6Member3runERKNS0_3JobENS0_5WokenE");
void wrapped_run(Member*, const Job&, Woken) asm("__wrap__ZN6helper4team6Member3runERKNS0_3JobENS0_5WokenE");

/// What a member does by itself, as it is too little to be divided.
void wrapped_run(Member* member, const Job& job, Woken woken) {
  if (debt.chunks_only) debt.forgive();
  real_run(member, job, woken);
  if (debt.chunks_only) debt.settle();
}

SlowCore::SlowCore(int times, bool chunks_only) {
  prctl(PR_SET_TIMERSLACK, 1UL); // or the system lets it sleep 50 us longer
  debt = {{.times = times}, chunks_only};
  debt.forgive();
}

SlowCore::~SlowCore() {
  debt.times = 1;
  prctl(PR_SET_TIMERSLACK, 0UL); // as it was
}

void SlowCore::pay() noexcept {
  if (!debt.chunks_only) debt.settle();
}

bool SlowCore::works() {
  helper::team::Team team(0, 2, {});
  helper::team::Member& owner = team.add();
  helper::team::Member& other = team.add();
  chunks = 0;
  const auto work = [](std::size_t, std::size_t) noexcept {};
  const WorkList::Ticket ticket =
      owner.publish(helper::team::Job::of(helper::trace::Stage::work, 3, 1, work));
  other.help();
  owner.help();
  owner.finish(ticket);
  return chunks == 3;
}

} // namespace bench
