// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "advice/replay.hpp"
#include "trace/timeline.hpp"

/// What the measurements of all ranks come to, at rank 0.
namespace helper::advice {

/// What the time of one rank in MPI went into, in seconds.
struct Spent {
  double waiting = 0;
  double moving = 0;
  double packing = 0;
  double reducing = 0;
  double files = 0;
  double one_sided = 0;
  double other = 0;

  double total() const noexcept { return waiting + moving + packing + reducing + files + one_sided + other; }
};

/// Calls of one place in the program, of all ranks.
struct CallSite {
  std::string function;
  std::string caller;
  std::uint64_t calls = 0;
  double bytes = 0;      ///< of a call
  std::uint32_t run = 0; ///< bytes that lie together; 0 if all do
  double seconds = 0;    ///< mean of a rank
  double saved = 0;      ///< of these, by the best team
};

/// What teams of one size would save, in seconds: mean of a rank, and a range for the whole program.
struct Saving {
  int threads;
  double seconds = 0;
  double low = 0;
  double high = 0;
};

struct Findings {
  int ranks = 1;
  double elapsed = 0;       ///< between MPI_Init and MPI_Finalize
  std::vector<Spent> spent; ///< by rank
  int last_rank = 0;        ///< for which the others have waited longest
  double share_of_last = 0; ///< of the time that they have waited in collective operations
  std::vector<CallSite> places;
  int cores = 1; ///< that a process shares with `sharers` processes, itself included
  int sharers = 1;
  bool has_openmp = false;
  std::vector<Saving> savings; ///< by the number of threads; empty if nothing could be repeated
  double start = 0;            ///< seconds that the start of the library takes
  std::string command;
};

/// Collects the findings of a run of `elapsed` seconds. It is collective over `comm`, a copy of
/// MPI_COMM_WORLD. The result is rank 0's.
Findings find(double elapsed, const trace::ClockMap& clock, MPI_Comm comm);

/// Returns the findings for a person, in lines of at most 80 columns.
std::string screen(const Findings& findings);

} // namespace helper::advice
