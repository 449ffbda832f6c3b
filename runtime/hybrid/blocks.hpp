// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include "hybrid/call.hpp"

namespace helper::hybrid {

/// A buffer with a block of `count` elements for each member, by rank, then by index within the rank.
struct Blocks {
  /// Exchanges the numbers of members among the ranks with an MPI call. Throws MpiError. Throws Rejected,
  /// alike at all ranks, if an int cannot count the elements.
  Blocks(const MemberCall& call, std::size_t own_members);

  int members = 0;                ///< of all ranks
  std::vector<int> counts;        ///< elements of each rank
  std::vector<int> displacements; ///< and where they begin
  int first = 0;                  ///< the first of this rank's elements
  int elements = 0;               ///< of all blocks
};

/// A copy between two streams, each from an offset on.
struct BlockCopy {
  const pipeline::Stream* from;
  std::size_t from_byte;
  const pipeline::Stream* to;
  std::size_t to_byte;
};

/// Makes copies of `bytes` bytes each, as a job of the team.
void run_copies(team::Member& leader, std::span<const BlockCopy> copies, std::size_t bytes);

} // namespace helper::hybrid
