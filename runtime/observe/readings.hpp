// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "observe/statistics.hpp"

/// These are handles of the library's performance variables. They belong to sessions of MPI's, which know
/// nothing of them.
namespace helper::observe {

/// A handle shows how much its statistic grew while the handle was started.
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

/// Returns a new handle, which has what it shows recorded from now on.
MPI_T_pvar_handle allocate(MPI_T_pvar_session session, const Statistic& statistic);

/// Says whose a handle is.
enum class Found : std::uint8_t { native, own, in_other_session };

/// Frees a handle if it is the library's, and the session's.
Found free_handle(MPI_T_pvar_session session, MPI_T_pvar_handle handle);

/// Frees the library's handles of a session.
void free_handles(MPI_T_pvar_session session);

/// Calls `act` with the library's handle `handle`, if it is one and the session's.
Found with(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const std::function<void(Reading&)>& act);

/// Calls `act` with all of the library's handles in a session.
void with_all(MPI_T_pvar_session session, const std::function<void(Reading&)>& act);

} // namespace helper::observe
