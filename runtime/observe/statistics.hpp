// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "trace/track.hpp"

/// The performance variables say what the members of this process's teams did, as MPI_HELPER_STATS shows it.
namespace helper::observe {

/// This is a column of the table.
struct Quantity {
  const char* name;
  const char* meaning;
  int variable_class; ///< of MPI_T_PVAR_CLASS_; a timer is in seconds to MPI, in nanoseconds here
  std::uint64_t (*of)(const trace::Counters& counters);

  bool is_time() const noexcept { return variable_class == MPI_T_PVAR_CLASS_TIMER; }
  MPI_Datatype datatype() const noexcept { return is_time() ? MPI_DOUBLE : MPI_UNSIGNED_LONG_LONG; }
};

/// This is a column's sum over the process's teams, of one function or of all.
struct Statistic {
  const Quantity* quantity;
  const char* function; ///< also stands for its form with large counts; nullptr: all functions

  std::string name() const;
  std::string description() const;

  /// Returns the sum of what was recorded up to now. It is never less than before. Any thread may call it.
  std::uint64_t sum() const;
};

/// Returns the statistics in the order of their indices.
std::span<const Statistic> statistics();

/// Returns the index among the library's performance variables.
std::optional<int> find_statistic(const char* name, int variable_class);

} // namespace helper::observe
