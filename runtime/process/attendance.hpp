// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

namespace helper::process {

/// Finds out which processes of this MPI_COMM_WORLD have loaded the library. Others would not take part if
/// the library asked them by MPI, so it may do that only if all have it.
struct Attendance {
  /// Tells the other processes that this one has the library, and whether its settings ask the library to do
  /// something. Call it before MPI is initialised, once per process. It asks nothing of other processes.
  static void enter(bool asked);

  /// Finds out which other processes have the library. Call it when MPI has been initialised, once per
  /// process, after enter(). All processes that have the library get the same result.
  static const Attendance& take();

  /// Returns the number of processes that the launcher has started together; 1 if unknown.
  static int started();

  bool all_here() const noexcept { return missing.empty(); }

  std::string missing; ///< names the processes without the library for a person, as far as known

  // Whether this process prints for its neighbours: it is the first one with the library, or that was asked.
  bool is_first_here = true;
  bool is_first_asked = true;
};

} // namespace helper::process
