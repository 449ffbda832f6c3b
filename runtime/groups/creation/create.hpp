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
    recursive, ///< by creating and merging pairs of inter-communicators, log2 of the members times
    multiway   ///< by a meeting of all members in messages of the library, before MPI_Comm_create_group
  };

  CreationAlgorithm algorithm = CreationAlgorithm::automatic;
  bool rejects_outsiders = false; ///< a caller that is not in the group gets an error
};

/// Parses the setting or hint of that name. Throws std::invalid_argument with the accepted values.
Options::CreationAlgorithm parse_algorithm(std::string_view text);
bool parse_outsider(std::string_view text);

/// The processes that make a communicator, from the view of one of them.
struct Members {
  MPI_Comm comm;          ///< an intra-communicator that contains all of them
  MPI_Group group;        ///< in the order of the new communicator
  int tag;                ///< of messages on `comm` that nobody else uses meanwhile
  int rank;               ///< the caller's in `group`
  std::vector<int> ranks; ///< in `comm`, of all members of `group`

  int size() const noexcept { return static_cast<int>(ranks.size()); }
};

/// Sets whether any node is oversubscribed, alike at all processes. The library calls it at its start.
void start(bool oversubscribed) noexcept;

/// Makes the communicator of `members`, with the error handler of `members.comm`. Collective over them,
/// blocking. `member`, lent meanwhile, is the caller's in a phase, nullptr outside, alike at all. Throws
/// MpiError, and then nothing remains of the communicator. The thread that called MPI calls it. Other threads
/// may call it at the same time with other tags.
MPI_Comm create(const Members& members, Options::CreationAlgorithm algorithm, team::Member* member);

} // namespace helper::groups::creation
