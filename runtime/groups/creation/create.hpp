// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "groups/creation/options.hpp"
#include "team/team.hpp"

/// Communicators that are made by their members alone.
namespace helper::groups::creation {

/// Those who make a communicator, as one of them sees them.
struct Members {
  MPI_Comm comm;          ///< an intra-communicator that has all of them
  MPI_Group group;        ///< in the order of the new communicator
  int tag;                ///< of messages on `comm` that nobody else sends meanwhile
  int rank;               ///< the caller's in `group`
  std::vector<int> ranks; ///< in `comm`, of all of `group`

  int size() const noexcept { return static_cast<int>(ranks.size()); }
};

/// The communicator of `members`, with the error handler of `members.comm`. Collective over them, blocking.
/// `member` is lent while others have not come yet: in a phase, nullptr outside, in which all members must be
/// or none. Nothing remains of it after an error, which is an MpiError. For the thread that called MPI;
/// others may do the same with other tags.
MPI_Comm create(const Members& members, Algorithm algorithm, team::Member* member);

} // namespace helper::groups::creation
