// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <utility>

#include "team/team.hpp"
#include "transport/thread_level.hpp"

namespace helper::transport {

/// While the object lives, its thread waits in blocking MPI functions as members wait elsewhere: it runs
/// chunks of the others' jobs, and where there are more threads than processing units it lets others run, and
/// sleeps. MPI's own waits occupy a core.
///
/// It relies on MPI's asking UCX for progress again and again, which the library intercepts. Where MPI does
/// not, nothing changes; nor at MPI_THREAD_MULTIPLE, as MPI holds its lock meanwhile.
class Patience {
public:
  explicit Patience(team::Member& member) noexcept
      : member_(member), pause_(member, team::Woken::by_mpi), before_(current) {
    if (thread_level() != MPI_THREAD_MULTIPLE) current = this;
  }
  ~Patience() { current = before_; }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  /// Returns the calling thread's object; nullptr if it has none.
  static Patience* of_this_thread() noexcept { return current; }

  /// These note that MPI's thread has asked for progress, and that there was some, or none.
  void progressed() noexcept { pause_.end(); }
  void in_vain() noexcept {
    if (!std::exchange(waits_, true)) return; // many functions poll once, and wait for nothing
    if (member_.help())
      pause_.end();
    else
      pause_.take();
  }

private:
  static inline thread_local constinit Patience* current = nullptr;

  team::Member& member_;
  team::Pause pause_;
  Patience* const before_;
  bool waits_ = false;
};

} // namespace helper::transport
