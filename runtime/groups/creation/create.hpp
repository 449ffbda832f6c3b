// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "groups/creation/options.hpp"
#include "team/team.hpp"

/// This folder makes communicators that their members alone create.
namespace helper::groups::creation {

/// These are the processes that make a communicator, as one of them sees them.
struct Members {
  MPI_Comm comm;          ///< an intra-communicator that contains all of them
  MPI_Group group;        ///< in the order of the new communicator
  int tag;                ///< of messages on `comm` that nobody else sends meanwhile
  int rank;               ///< the caller's in `group`
  std::vector<int> ranks; ///< in `comm`, of all of `group`

  int size() const noexcept { return static_cast<int>(ranks.size()); }
};

/// Makes the communicator of `members`, with the error handler of `members.comm`. It is collective over them
/// and blocks; meanwhile `member` is lent until all have come. In a phase `member` is the caller's, outside
/// it is nullptr; either all members are in a phase or none is. Throws MpiError, and then nothing remains of
/// the communicator. The thread that called MPI calls this; other threads may at the same time, with other
/// tags.
MPI_Comm create(const Members& members, Options::Algorithm algorithm, team::Member* member);

} // namespace helper::groups::creation
