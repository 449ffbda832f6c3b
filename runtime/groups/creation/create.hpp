// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <string_view>
#include <vector>

#include "team/team.hpp"

/// Makes communicators that only their members create.
namespace helper::groups::creation {

/// Options that a program can choose when members make a communicator.
struct Options {
  /// How the members make the communicator.
  enum class CreationAlgorithm {
    automatic, ///< `multiway` if ranks are oversubscribed, otherwise `direct`
    direct,    ///< by MPI_Comm_create_group
    recursive, ///< by merging pairs of parts through inter-communicators, in log2(members) steps
    multiway   ///< by MPI_Comm_create_group, after all members have met by messages of the library
  };

  CreationAlgorithm algorithm = CreationAlgorithm::automatic;
  bool rejects_outsiders = false; ///< a caller that is not in the group gets an error
};

/// Parse the value of a setting or hint. parse_outsider() returns `Options::rejects_outsiders`. Throw
/// std::invalid_argument, which names the accepted values.
Options::CreationAlgorithm parse_algorithm(std::string_view text);
bool parse_outsider(std::string_view text);

/// The processes that make a communicator, from the view of one of them.
struct Members {
  MPI_Comm comm;          ///< an intra-communicator that contains all of them
  MPI_Group group;        ///< in the order of the new communicator
  int tag;                ///< a tag for messages on `comm` that nobody else uses meanwhile
  int rank;               ///< the caller's rank in `group`
  std::vector<int> ranks; ///< the ranks in `comm` of all members of `group`

  int size() const noexcept { return static_cast<int>(ranks.size()); }
};

/// Called when the library begins. `oversubscribed`: whether any node is; equal at all processes.
void start(bool oversubscribed) noexcept;

/// Makes the communicator of `members`, with the error handler of `members.comm`. Collective over the
/// members; blocks. If the members are in phases, `member` is the caller's member and lends its thread;
/// otherwise it is nullptr at all of them. If this throws MpiError, nothing remains of the communicator. Call
/// it in the thread that called MPI. Other threads may call it at the same time, with other tags.
MPI_Comm create(const Members& members, Options::CreationAlgorithm algorithm, team::Member* member);

} // namespace helper::groups::creation
