// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <string_view>
#include <vector>

#include "team/team.hpp"

/// Makes communicators that only their members create.
namespace helper::groups::creation {

/// A program can choose these options of the creation of a communicator by its members.
struct Options {
  /// The members make the communicator by one of these.
  enum class CreationAlgorithm {
    automatic, ///< by `multiway` where processes take turns on processing units, by `direct` elsewhere
    direct,    ///< by MPI_Comm_create_group
    recursive, ///< by pairs of inter-communicators that are created and merged, log2 of the members times
    multiway ///< by a meeting of all members, in messages of the library's own, before MPI_Comm_create_group
  };
  /// A caller that is not in the group gets MPI_COMM_NULL or an error.
  enum class Outsider { null, error };

  CreationAlgorithm algorithm = CreationAlgorithm::automatic;
  Outsider outsider = Outsider::null;
};

/// Reads the value of the setting or hint of that name. Throws std::invalid_argument, saying what is
/// accepted.
Options::CreationAlgorithm parse_algorithm(std::string_view text);
Options::Outsider parse_outsider(std::string_view text);

/// The processes that make a communicator, as one of them sees them.
struct Members {
  MPI_Comm comm;          ///< an intra-communicator that contains all of them
  MPI_Group group;        ///< in the order of the new communicator
  int tag;                ///< of messages on `comm` that nobody else sends meanwhile
  int rank;               ///< the caller's in `group`
  std::vector<int> ranks; ///< in `comm`, of all of `group`

  int size() const noexcept { return static_cast<int>(ranks.size()); }
};

/// Sets whether processes of MPI_COMM_WORLD take turns on cores, on any node: the same at all of them. The
/// library calls it when it begins.
void start(bool oversubscribed) noexcept;

/// Makes the communicator of `members`, with the error handler of `members.comm`. It is collective over them
/// and blocks; meanwhile `member` is lent until all have come. In a phase `member` is the caller's, outside
/// it is nullptr; either all members are in a phase or none is. Throws MpiError, and then nothing remains of
/// the communicator. The thread that called MPI calls this; other threads may at the same time, with other
/// tags.
MPI_Comm create(const Members& members, Options::CreationAlgorithm algorithm, team::Member* member);

} // namespace helper::groups::creation
