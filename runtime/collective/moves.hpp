// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "collective/parts.hpp"
#include "collective/selection.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// An operation that moves data, from the view of one rank: its data for each rank, and the room for theirs.
struct Moves {
  Operation operation;
  const char* name; ///< for stall reports
  std::vector<Part> out;
  std::vector<Part> in;
  bool in_place = false; ///< data from a rank replace the data for it
  int root = 0;          ///< where there is one
};

/// Performs the operation. `bytes`, equal at all ranks, decides the selection. Returns nothing, having
/// communicated nothing, if native MPI shall handle the call. Blocks, lending the caller; throws MpiError and
/// PeerGaveUp.
///
/// Data for a rank are cut into chunks of packed bytes: both ranks only know their number alike.
std::optional<int> carry(Moves moves, std::size_t bytes, team::Member& member, const Shadow& shadow);

} // namespace helper::collective
