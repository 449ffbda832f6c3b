// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

#include "team/futex.hpp"

namespace helper::team {

class Member;

/// Says what wakes a thread that waits.
enum class Woken {
  by_mpi,     ///< nothing, as it may be: MPI finds what the thread awaits, and the thread's poll asks MPI
  perhaps,    ///< nothing, as it may be: what it awaits becomes true in memory
  by_its_bell ///< the bell of its process, which is rung when what it awaits becomes true
};

/// Between two polls of something that a member waits for it spins, lets others run or sleeps. One object is
/// for one wait.
///
/// Where all threads have processing units it spins, as long as its team does, and for ever if nothing may
/// wake it. Where they are oversubscribed it polls once, yields some times, and then sleeps: until its bell
/// is rung or its team has work, and not long, since MPI gets on only while it is polled.
///
/// While MPI has something under way that others may need (see Progress), MPI is polled at each turn, and a
/// member of a process that has a processing unit to itself never sleeps: it would not be there when it is
/// needed.
class Pause {
public:
  Pause(const Member& member, Woken woken) noexcept : member_(member), woken_(woken) {}
  ~Pause() { end(); }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

  /// Is called when the poll has found nothing to do. Returns true now and then: for what would be too much
  /// at every poll.
  bool take() noexcept;

  /// Is called when the poll has found something to do, so what follows is a new wait.
  void end() noexcept;

private:
  bool spins(bool is_needed) noexcept;
  bool yields(bool is_needed) const noexcept;
  void announce(bool is_needed) noexcept;
  void sleep(bool is_needed) noexcept;

  const Member& member_;
  const Woken woken_;
  int in_vain_ = 0; // polls
  int yields_ = 0;
  bool announced_ = false; // to sleep, if the next poll is in vain as well
  bool counted_ = false;   // among those that sleep at the team's doorbell
  std::uint32_t seen_of_team_ = 0;
  std::uint32_t seen_of_process_ = 0;
  futex::Clock::time_point spins_until_{};
  futex::Clock::duration nap_{}; // the last
};

} // namespace helper::team
