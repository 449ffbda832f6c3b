// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include "hybrid/call.hpp"

namespace helper::hybrid {

/// How a buffer has a block of `count` elements for each member of each rank: in the order of ranks, and
/// within a rank in that of the members.
struct Blocks {
  /// Exchanges the numbers of members among the ranks, which is an MPI call. Throws MpiError. Throws
  /// Rejected, at all ranks alike, if an int cannot count the elements.
  Blocks(const MemberCall& call, std::size_t own_members);

  int members = 0;                ///< of all ranks
  std::vector<int> counts;        ///< elements of each rank
  std::vector<int> displacements; ///< and where they begin
  int first = 0;                  ///< the first of this rank's elements
  int elements = 0;               ///< of all blocks
};

/// Copies bytes from one stream to another, each from a place on.
struct BlockCopy {
  const pipeline::Stream* from;
  std::size_t from_byte;
  const pipeline::Stream* to;
  std::size_t to_byte;
};

/// Makes copies of `bytes` each, by a job of the team.
void run_copies(team::Member& leader, std::span<const BlockCopy> copies, std::size_t bytes);

} // namespace helper::hybrid
