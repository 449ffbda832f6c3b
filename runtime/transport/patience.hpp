// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "team/pause.hpp"
#include "team/team.hpp"

namespace helper::transport {

/// While the object lives, its thread waits in blocking MPI functions as members wait elsewhere: it runs
/// chunks of the others' jobs, and where there are more threads than processing units it lets others run, and
/// sleeps. MPI's own waits occupy a core.
///
/// It relies on MPI's asking for progress again and again by a function that the library intercepts. Where
/// MPI has none, nothing changes; nor at MPI_THREAD_MULTIPLE, as MPI holds its lock meanwhile, unless no
/// other thread calls MPI then.
class Patience {
public:
  enum class OtherThreads : bool { may_call_mpi, do_not };
  explicit Patience(team::Member& member, OtherThreads others = OtherThreads::may_call_mpi) noexcept;
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  /// Returns the name of the function by which MPI asks for progress; nullptr if it cannot wait patiently.
  /// MPI must be initialised.
  static const char* progress_function() noexcept;

  /// Calls `ask`, a function of MPI's that makes progress and tells how many events there were; negative if
  /// it does not tell. When there were none, the calling thread does what its object is for, if it has one.
  /// Where `ask` asks such functions in turn, only the outermost counts.
  template <class Ask>
  static int watch(const Ask& ask) noexcept {
    Patience* const waiting = current;
    if (waiting == nullptr) [[likely]]
      return ask();
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
