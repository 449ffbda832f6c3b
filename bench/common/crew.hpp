// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi_helper.h>

#include <barrier>
#include <functional>
#include <vector>

namespace bench {

/// The threads of an OpenMP program that lend themselves to their first, in teams of several sizes, as in the
/// proposal's Example 1. Threads last throughout, a team and its phase as long as one sample of it: the
/// library counts members that are in no phase as threads that compute. Outside of phases all threads but the
/// first sleep, so that native MPI and the smaller teams run undisturbed.
class Crew {
public:
  /// `teams`: the sizes, at least 1 each, one or more. Throws std::runtime_error if OpenMP does not grant
  /// that many threads.
  explicit Crew(const std::vector<int>& teams);

  /// Runs `conduct` on the calling thread; the other threads stand by until it returns or throws.
  void run(const std::function<void()>& conduct);

  /// For `conduct`: runs `communicate`, which must not throw, in a phase of the team of this size, when all
  /// other members have joined and are on their way into LEAVE. Size 0: outside of any phase.
  void phase(int team, const std::function<void()>& communicate);

private:
  void stand_by(int thread);
  void take_part(int team, const std::function<void()>& communicate);

  const int threads_;
  std::barrier<> all_threads_; ///< unlike OpenMP's, it waits asleep whatever OMP_WAIT_POLICY says
  int next_team_ = 0;          ///< of the next phase, 0 at the end; handed over by `all_threads_`
};

} // namespace bench
