// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "trace/track.hpp"

/// The performance variables: what the members of this process's teams did, as MPI_HELPER_STATS prints it.
namespace helper::observe {

/// A column of the table of MPI_HELPER_STATS.
struct Quantity {
  const char* name;
  const char* meaning;
  int variable_class; ///< of MPI_T_PVAR_CLASS_; a timer is in seconds to MPI, in nanoseconds here
  std::uint64_t (*of)(const trace::Counters& counters);

  bool is_time() const noexcept { return variable_class == MPI_T_PVAR_CLASS_TIMER; }
  MPI_Datatype datatype() const noexcept { return is_time() ? MPI_DOUBLE : MPI_UNSIGNED_LONG_LONG; }
};

/// The sum of a column over the process's teams, for one function or for all.
struct Statistic {
  const Quantity* quantity;
  const char* function; ///< includes its large-count form; nullptr: all functions

  std::string name() const;
  std::string description() const;

  /// Writes the sum so far as one value of its datatype. It never decreases. Any thread may call it.
  void read(void* buffer) const;
};

/// Returns the statistics in the order of their indices.
std::span<const Statistic> statistics();

/// Returns the index of a statistic among the library's performance variables; nothing if there is none.
std::optional<int> find_statistic(const char* name, int variable_class);

/// Returns a handle for the statistic: its address, which is no handle of MPI. Starts to record counters.
MPI_T_pvar_handle allocate(const Statistic& statistic);

/// Returns the statistic of a handle, or nullptr if the handle is MPI's.
const Statistic* statistic_of(MPI_T_pvar_handle handle) noexcept;

} // namespace helper::observe
