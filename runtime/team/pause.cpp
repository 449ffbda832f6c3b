// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/pause.hpp"

#include <sched.h>

#include <algorithm>

#include "team/bell.hpp"
#include "team/contention.hpp"
#include "team/hooks.hpp"
#include "team/shared_unit.hpp"
#include "team/team.hpp"

namespace helper::team {

namespace {

using namespace std::chrono_literals;

constexpr unsigned polls_between_looks_at_the_clock = 64;
// If threads are oversubscribed, a wait spins once before it yields.
constexpr unsigned polls_before_yielding = 1;
constexpr int most_yields = 100;
// If other processes may need this one to poll MPI, it polls several times between yields: after a yield,
// another thread runs for longer than several polls take.
constexpr unsigned polls_between_yields = 16;
// A thread that perhaps no bell wakes, or that other processes may need, naps for `longest_nap` at most. Each
// nap is twice as long as the one before. Other threads nap for `nap_until_rung` at most.
constexpr futex::Clock::duration shortest_nap = 50us;
constexpr futex::Clock::duration longest_nap = 1ms;
constexpr futex::Clock::duration nap_until_rung = 4ms;
// A thread gives way (see Pause) only after `long_wait`: waits for a running rank are shorter. Its naps then
// last at most a sixteenth of the wait so far. Between naps it polls often: messages come in pieces.
constexpr futex::Clock::duration long_wait = 1ms;
constexpr int most_naps_in_wait = 16;
constexpr unsigned polls_between_naps = 16;

} // namespace

bool Pause::take() noexcept {
  trace::wait(member_.track());
  ++in_vain_;
  const auto now = looks_at_clock() ? futex::Clock::now() : futex::Clock::time_point{};
  const bool is_needed = woken_ != Woken::by_helpers && hooks.is_needed();
  if (is_needed && woken_ != Woken::by_mpi) hooks.poll();
  if (announced_) {
    sleep(is_needed);
    return true;
  }
  switch (between_polls(wait_case(is_needed, now))) {
  case BetweenPolls::spin:
    spin(is_needed, now);
    break;
  case BetweenPolls::spin_and_yield:
    if (in_vain_ % polls_between_yields == 0)
      yield();
    else
      spin(is_needed, now);
    break;
  case BetweenPolls::yield:
    yield();
    break;
  case BetweenPolls::spin_and_nap:
    if (in_vain_ % polls_between_naps == 0) announce(is_needed);
    break;
  case BetweenPolls::sleep:
    announce(is_needed);
    break;
  }
  return looks_at_clock();
}

bool Pause::looks_at_clock() const noexcept {
  return in_vain_ % polls_between_looks_at_the_clock == 0;
}

/// Returns what decides how this thread waits. `now` is used only if looks_at_clock().
WaitCase Pause::wait_case(bool is_needed, futex::Clock::time_point now) noexcept {
  const Cores cores = Oversubscription::cores();
  const auto time = member_.team().waiting().time_to_spin(cores != Cores::for_threads);
  return {.cores = cores,
          .is_needed = is_needed,
          .may_sleep = has_bell() || time == time.zero(),
          .spins_on =
              in_vain_ <= polls_before_yielding || (time != time.zero() && spins_on(cores, time, now)),
          .has_yielded = yields_ >= most_yields,
          .gives_way = gives_way(is_needed)};
}

bool Pause::spins_on(Cores cores, std::chrono::nanoseconds time, futex::Clock::time_point now) noexcept {
  return !looks_at_clock() || waited(now) < time || (cores == Cores::for_threads && Contention::is_on(now));
}

/// Returns whether this thread gives way to resting threads, which sleep because no core is free. It does if
/// no process needs it to poll MPI, and it has waited so long that it probably waits as long again.
bool Pause::gives_way(bool is_needed) noexcept {
  const bool looks = nap_ != nap_.zero() || looks_at_clock();
  if (is_needed || !Oversubscription::by_resting(gives_way_.has_value())) {
    stay();
  } else if (!gives_way_ && looks &&
             waited(futex::Clock::now()) >= std::max(long_wait, member_.team().waiting().spin) &&
             !one_gives_way_.exchange(true, std::memory_order_relaxed)) {
    gives_way_.emplace();
  }
  return gives_way_.has_value();
}

void Pause::stay() noexcept {
  if (!gives_way_) return;
  gives_way_.reset();
  one_gives_way_.store(false, std::memory_order_relaxed);
}

void Pause::yield() noexcept {
  ++yields_;
  sched_yield();
}

/// Pauses briefly before the next poll, unless each poll calls MPI, which takes longer than the pause.
void Pause::spin(bool is_needed, futex::Clock::time_point now) noexcept {
  if (!makes_room(now) && !is_needed && woken_ != Woken::by_mpi) spin_pause();
}

/// If another thread of the MPI job shares this core although there are cores for both, this thread moves or
/// yields. Returns whether there was such a thread.
bool Pause::makes_room(futex::Clock::time_point now) noexcept {
  if (!looks_at_clock() || Oversubscription::by_threads()) return false;
  if (!SharedUnit::is_shared(now, waited(now) >= long_wait)) return false;
  Contention::woke(now);
  if (!Contention::is_on(now) || !SharedUnit::leave(now)) sched_yield();
  return true;
}

void Pause::announce(bool is_needed) noexcept {
  announced_ = true;
  Doorbell& doorbell = member_.team().doorbell_;
  const bool naps = gives_way_ && !has_bell();
  seen_of_process_ = naps ? Bell::own().announce_nap(is_needed) : Bell::own().announce(is_needed);
  seen_of_team_ = counted_ ? doorbell.rings() : doorbell.announce();
  counted_ = true;
}

void Pause::sleep(bool is_needed) noexcept {
  announced_ = false;
  nap_ = next_nap(is_needed);
  futex::wait_either(member_.team().doorbell_.word(), seen_of_team_, Bell::own().word(), seen_of_process_,
                     futex::Clock::now() + nap_);
  if (!Oversubscription::by_threads()) Contention::woke(futex::Clock::now());
  if (!is_needed || Bell::own().word().load(std::memory_order_relaxed) == seen_of_process_) return;
  // A process rang, perhaps before its message arrives here: yield and nap as in a new wait.
  yields_ = 0;
  nap_ = {};
}

futex::Clock::duration Pause::next_nap(bool is_needed) noexcept {
  if (has_bell() && !is_needed) return nap_until_rung;
  const auto most = gives_way_ ? waited(futex::Clock::now()) / most_naps_in_wait : 2 * nap_;
  return std::clamp<futex::Clock::duration>(most, shortest_nap, longest_nap);
}

/// Returns how long the wait has lasted at `now`, counted from the first call in this wait.
futex::Clock::duration Pause::waited(futex::Clock::time_point now) noexcept {
  if (since_ == futex::Clock::time_point{}) since_ = now;
  return now - since_;
}

void Pause::end() noexcept {
  stay();
  if (counted_) member_.team().doorbell_.retract();
  in_vain_ = 0;
  yields_ = 0;
  announced_ = counted_ = false;
  since_ = {};
  nap_ = {};
}

} // namespace helper::team
