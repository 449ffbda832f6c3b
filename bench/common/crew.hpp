// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi_helper.h>

#include <barrier>
#include <functional>
#include <vector>

namespace bench {

/// The threads of an OpenMP program that help their first thread, in teams of several sizes, as in Example 1
/// of the proposal.
///
/// The threads live as long as the Crew. A team and its phase last for one sample, because the library counts
/// members outside phases as threads that compute. Outside phases all threads but the first sleep, so that
/// native MPI and smaller teams run undisturbed.
class Crew {
public:
  /// `teams`: at least one team size, each at least 1. Throws std::runtime_error if OpenMP does not grant
  /// that many threads.
  explicit Crew(const std::vector<int>& teams);

  /// Runs `conduct` on the calling thread. The other threads wait until it returns or throws.
  void run(const std::function<void()>& conduct);

  /// Called by `conduct`. Runs `communicate`, which must not throw, in a phase of the team of size `team`.
  /// All other members have joined and are about to enter LEAVE. Size 0: outside any phase.
  void phase(int team, const std::function<void()>& communicate);

private:
  void stand_by(int thread);
  void take_part(int team, const std::function<void()>& communicate);

  const int threads_;
  std::barrier<> all_threads_; ///< sleeps whatever OMP_WAIT_POLICY is, unlike OpenMP's barrier
  int next_team_ = 0;          ///< team of the next phase, 0 at the end; `all_threads_` orders its accesses
};

} // namespace bench
