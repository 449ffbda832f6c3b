// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace helper::team {

/// For what the cores suffice: for each thread that wants to run, for one thread of each process, or for
/// fewer.
enum class Cores { for_threads, for_processes, for_fewer };

/// What decides how a thread waits.
struct WaitCase {
  Cores cores = Cores::for_threads;
  bool is_needed = false;   ///< other processes may need this one to poll MPI
  bool may_sleep = false;   ///< a bell wakes the thread, or the settings forbid spinning
  bool spins_on = false;    ///< the time to spin is not over, or other programs compete for the cores
  bool has_yielded = false; ///< the wait has yielded as often as it may
  bool gives_way = false;   ///< the thread leaves its core to threads that rest (see Oversubscription)
};

/// What a thread does between two polls.
enum class BetweenPolls {
  spin,
  spin_and_yield, ///< yields after some polls, and spins after the others
  yield,
  spin_and_nap, ///< sleeps after some polls, and spins after the others
  sleep
};

/// The rules for waiting. The first one that applies counts.
constexpr BetweenPolls between_polls(const WaitCase& wait) noexcept {
  using enum BetweenPolls;
  if (wait.gives_way) return spin_and_nap;
  if (wait.cores == Cores::for_threads && (wait.is_needed || !wait.may_sleep)) return spin;
  if (wait.cores == Cores::for_processes && wait.is_needed) return spin_and_yield;
  if (wait.spins_on) return spin;
  if (wait.cores == Cores::for_threads || wait.has_yielded) return sleep;
  return yield;
}

} // namespace helper::team
