// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/crew.hpp"
#include "jobs/job.hpp"
#include "jobs/worker.hpp"

namespace bench {

/// One way to perform an operation: by native MPI, by another MPI, or in a phase of a team.
struct Variant {
  std::string name;
  int team = 0;  ///< members; 0: outside any phase
  int peer = -1; ///< which of the other MPIs; -1: this one

  bool native() const { return team == 0; }
};

/// Returns this MPI, which is called `native`, and the other MPIs, whose names only rank 0 has. Collective.
std::vector<Variant> native_variants(const std::string& native, const std::vector<Peer>& peers);

/// An operation on messages of one size.
struct Case {
  Subject& subject;
  std::string name;
  int operation; ///< an index that the jobs of other MPIs know
  std::size_t bytes;
};

/// The means of performing variants: the threads of the team, and on rank 0 the jobs of other MPIs.
struct Stage {
  Crew& crew;
  const std::vector<Peer>& peers;    ///< at the first rank; empty at the others
  std::vector<Variant> variants;     ///< the first one is native MPI
  double least_sample_seconds;       ///< a sample consists of as many calls as take that long,
  int most_calls;                    ///< but of no more than these
  bool ranks_oversubscribed = false; ///< there are more ranks than cores
};

/// Measures one case with every variant alternately until `time` has passed, at least 5 and at most 100
/// times. Returns a line for each variant: the seconds per call, and the speedup over native MPI. All ranks
/// call it, from the function that the crew runs. Throws std::runtime_error on all ranks if a variant's
/// result is wrong.
Json compare(const Case& of, Stage& stage, std::chrono::duration<double> time);

} // namespace bench
