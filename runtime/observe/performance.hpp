// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "trace/track.hpp"

/// The performance variables say what the members of this process's teams did, as MPI_HELPER_STATS shows it.
namespace helper::observe {

/// A column of the table.
struct Quantity {
  const char* name;
  const char* meaning;
  int variable_class; ///< of MPI_T_PVAR_CLASS_; a timer is in seconds to MPI, in nanoseconds here
  std::uint64_t (*of)(const trace::Counters& counters);

  bool is_time() const noexcept { return variable_class == MPI_T_PVAR_CLASS_TIMER; }
  MPI_Datatype datatype() const noexcept { return is_time() ? MPI_DOUBLE : MPI_UNSIGNED_LONG_LONG; }
};

/// A column's sum over the process's teams, of one function or of all.
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

/// A handle of the library's performance variables belongs to a session of MPI's, which knows nothing of it.
/// It shows how much its statistic grew while the handle was started.
class Reading {
public:
  Reading(MPI_T_pvar_session session, const Statistic& statistic) noexcept
      : session_(session), statistic_(statistic) {}

  bool is_of(MPI_T_pvar_session session) const noexcept { return session == session_; }

  void start();
  void stop();
  /// Buffers hold one value of the statistic's datatype.
  void read(void* buffer) const;
  void read_and_reset(void* buffer);
  void write(const void* buffer);
  void reset() { set(0); }

private:
  std::uint64_t value_at(std::uint64_t sum) const noexcept;
  void give(std::uint64_t value, void* buffer) const noexcept;
  void set(std::uint64_t value);

  const MPI_T_pvar_session session_;
  const Statistic& statistic_;
  std::uint64_t collected_ = 0;
  std::optional<std::uint64_t> sum_at_start_; // while started
};

/// Returns a new handle. What it shows is recorded from now on.
MPI_T_pvar_handle allocate(MPI_T_pvar_session session, const Statistic& statistic);

/// The owner of a handle.
enum class Owner : std::uint8_t { native, own, in_other_session };

/// Frees a handle if it is the library's, and the session's.
Owner free_handle(MPI_T_pvar_session session, MPI_T_pvar_handle handle);

/// Frees the library's handles of a session.
void free_handles(MPI_T_pvar_session session);

/// Calls `act` with the library's handle `handle`, if it is one and the session's.
Owner with(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const std::function<void(Reading&)>& act);

/// Calls `act` with all of the library's handles in a session.
void with_all(MPI_T_pvar_session session, const std::function<void(Reading&)>& act);

} // namespace helper::observe
