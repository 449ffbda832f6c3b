// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "collective/collective.hpp"
#include "collective/parts.hpp"
#include "collective/selection.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// This describes an operation that moves data between ranks, as one rank sees it: what goes to each rank,
/// and what comes from it.
struct Moves {
  Operation operation;
  const char* name; ///< for stall reports
  std::vector<Part> out;
  std::vector<Part> in;
  bool in_place = false; ///< what comes from a rank takes the place of what goes to it
  int root = 0;          ///< where there is one
};

/// Carries the operation. The selection goes by `bytes`, which is equal at all ranks. Returns nothing, having
/// communicated nothing, where native MPI is to do it. Blocks, lending the caller; throws MpiError and
/// PeerGaveUp.
///
/// What goes from one rank to another is cut into chunks of its packed bytes, since their number is all that
/// both ranks know alike.
std::optional<int> carry(Moves moves, std::size_t bytes, team::Member& member, const Shadow& shadow);

} // namespace helper::collective
