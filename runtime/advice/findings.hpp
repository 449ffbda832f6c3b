// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "advice/recorder.hpp"
#include "trace/timeline.hpp"

/// What rank 0 concludes from the measurements of all ranks. Before MPI is finalised, calls of the program
/// are replayed, natively and with teams, to measure what teams would save.
namespace helper::advice {

/// Begins to measure. Call it after MPI has been initialised. Collective.
void begin();

/// Begins the library, replays calls, and prints the advice at rank 0; does nothing without begin(). Call it
/// right before MPI is finalised. Collective.
void end();

/// The least, the median and the greatest of some values.
struct Range {
  double least = 0;
  double median = 0;
  double greatest = 0;
};

Range range_of(std::vector<double> values);

/// Replays each call of `wanted`, natively and with teams of these sizes. `wanted` is equal at all ranks.
/// Returns for each call its seconds at the slowest rank: first natively, then with each team size. Each
/// range is over batches of calls. `own` are this process's cells, which have the datatypes. The library must
/// have begun. Collective over `comm`.
std::vector<std::vector<Range>> replay(const std::vector<Cell>& wanted, const std::vector<Cell>& own,
                                       const std::vector<int>& team_sizes, MPI_Comm comm);

/// How one rank spent its time in MPI, in seconds.
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

/// The calls of all ranks at one call site.
struct CallSite {
  std::string function;
  std::string caller;
  std::uint64_t calls = 0;
  double bytes = 0;      ///< of all calls
  std::uint32_t run = 0; ///< contiguous bytes; 0 if all are contiguous
  double seconds = 0;    ///< mean of a rank
  double saved = 0;      ///< seconds that the best team saves
};

/// What teams of one size would save, in seconds: the mean over the ranks, and a range for the whole program.
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
  int last_rank = 0;        ///< the rank that others have waited for longest
  double share_of_last = 0; ///< the share of waiting for this rank in all waiting in collective operations
  std::vector<CallSite> places;
  int cores = 1; ///< that a process shares with `sharers` processes, including itself
  int sharers = 1;
  int openmp_threads = 0;      ///< of a parallel region; 0 without OpenMP
  std::vector<Saving> savings; ///< by the number of threads; empty if the library cannot begin
  double start = 0;            ///< seconds that starting the library takes
  std::string command;
};

/// Collects the findings of a run of `elapsed` seconds. Collective over `comm`, a copy of MPI_COMM_WORLD.
/// Only rank 0's result is complete.
Findings find(double elapsed, const trace::ClockMap& clock, MPI_Comm comm);

/// Returns the findings as text, in lines of at most 80 columns.
std::string screen(const Findings& findings);

} // namespace helper::advice
