// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "team/pause.hpp"
#include "team/team.hpp"

namespace helper::transport {

/// While the object lives, its thread runs chunks of other members' jobs when it waits in blocking MPI
/// functions. If threads are oversubscribed, it yields or sleeps, and so does not occupy a core.
///
/// The object has an effect only if the library intercepts MPI's polling function. MPI holds its lock while
/// it polls. So at MPI_THREAD_MULTIPLE the object has no effect if `others_may_call_mpi`: they would wait.
class Patience {
public:
  explicit Patience(team::Member& member, bool others_may_call_mpi = true) noexcept;
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  /// Returns the name of the polling function that the library intercepts; nullptr if it intercepts none, or
  /// at MPI_THREAD_MULTIPLE. Call it after MPI_Init.
  static const char* progress_function() noexcept;

  /// Returns whether the calling thread has a Patience in effect.
  static bool is_watched() noexcept { return current != nullptr; }

  /// Calls `ask`, MPI's polling function, which returns the number of events; negative if unknown. Unless it
  /// is positive, the thread helps or pauses. Polls within `ask` are not watched. Requires is_watched().
  template <class Ask>
  static int watch(const Ask& ask) noexcept {
    Patience* const waiting = current;
    current = nullptr;
    const int events = ask();
    current = waiting;
    waiting->asked(events);
    return events;
  }

private:
  void asked(int events) noexcept;

  static inline thread_local constinit Patience* current = nullptr;

  team::Member& member_;
  team::Pause pause_;
  Patience* const before_;
  bool waits_ = false;
};

} // namespace helper::transport
