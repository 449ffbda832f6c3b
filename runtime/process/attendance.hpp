// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

namespace helper::process {

/// Tells which processes of this one's MPI_COMM_WORLD have the library. The others know nothing of it, and
/// would not take part if it asked them by MPI: it may do that only where all have it.
struct Attendance {
  /// Tells the others that this process has it, and whether its settings ask the library to do something. It
  /// is called before MPI is initialised, once in a process. Asks nothing of other processes.
  static void enter(bool asked);

  /// Finds out which other processes have the library. It is called when MPI has been initialised, once in a
  /// process, after enter(). All processes that have the library find the same.
  static const Attendance& take();

  /// Returns how many processes the launcher has started together; 1 if that is not known.
  static int started();

  bool all_here() const noexcept { return missing.empty(); }

  std::string missing; ///< says for a person which have not, as far as that can be found out

  // They tell whether this process is to speak for its neighbours, too, which have the library or were asked
  // for something, as it has or was.
  bool is_first_here = true;
  bool is_first_asked = true;
};

} // namespace helper::process
