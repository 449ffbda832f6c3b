// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

namespace helper::process {

/// Finds out which processes of this MPI_COMM_WORLD have loaded the library. Processes without it would not
/// answer messages of the library. So the library may communicate by MPI only if all have it.
struct Attendance {
  /// Tells the other processes that this one has the library. `asked`: its settings ask the library to do
  /// something. Call it once per process, before MPI is initialised. It never waits for other processes.
  static void enter(bool asked);

  /// Finds out which other processes have the library. Call it when MPI has been initialised, once per
  /// process, after enter(). All processes that have the library get the same `missing`.
  static const Attendance& take();

  /// Returns the number of processes that the launcher has started together; 1 if unknown.
  static int started();

  bool all_here() const noexcept { return missing.empty(); }

  std::string missing; ///< names the first rank or application without the library; empty if none

  // Whether this process is the first of consecutive ranks with the library, and of consecutive ranks whose
  // settings ask the library to do something. The first of these ranks prints for all of them.
  bool is_first_here = true;
  bool is_first_asked = true;
};

} // namespace helper::process
