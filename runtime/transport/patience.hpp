// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "team/pause.hpp"
#include "team/team.hpp"

namespace helper::transport {

/// While the object lives, its thread waits in blocking MPI functions like members wait elsewhere: it runs
/// chunks of other members' jobs. If threads are oversubscribed it lets others run, and sleeps. Waits in
/// native MPI would occupy a core.
///
/// It has an effect only if MPI polls with a function that the library intercepts. MPI holds its lock while
/// it polls. So at MPI_THREAD_MULTIPLE it has an effect only if other threads do not call MPI meanwhile.
class Patience {
public:
  explicit Patience(team::Member& member, bool others_may_call_mpi = true) noexcept;
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  /// Returns the name of the function with which MPI polls, after MPI_Init; nullptr if none is intercepted.
  static const char* progress_function() noexcept;

  /// Returns whether the calling thread has a Patience in effect.
  static bool is_watched() noexcept { return current != nullptr; }

  /// Calls `ask`, MPI's polling function, which returns the number of events; negative if unknown. If there
  /// were none, the thread works for its team. Polls within `ask` do not count. Requires is_watched().
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
