// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/tree/message.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace helper::groups::tree {

/// A participant that may be told to fill a hole.
struct Candidate {
  Id id;
  /// The relocations and orders sent to it so far. Messages of different senders may overtake one another:
  /// what depends on those has to wait for as many.
  std::int32_t sent;
};

/// `vertices` of the receiver's subtree go to `consumer`.
struct Order {
  Id consumer;
  Rank vertices;
};

/// What the vertex above knows of a subtree.
struct Branch {
  Candidate root;
  Rank size;
  /// Of the hole that its root was relocated to, or that made it a child of another vertex.
  std::int32_t level = own_level;
  /// Participants of the subtree that may be taken out one after the other, each of them a leaf by then.
  std::vector<Candidate> fillers = {};
  /// Those of it that have been taken out, which vertices below have yet to be told.
  std::vector<Id> victims = {};
  std::vector<Order> orders = {}; ///< not yet sent to its root

  static constexpr std::int32_t own_level = INT32_MAX;
};

/// The fillers of a vertex with these branches, at most `most`: in turn from the branch that has the most
/// vertices left, so that a tree which loses them stays even.
std::vector<Candidate> elimination_order(const std::vector<Branch>& branches, std::size_t most);

/// On the way up: a branch with its fillers.
void put_report(Message& message, const Branch& branch);
Branch get_report(Reader& reader);

std::size_t heap_bytes_of(const std::vector<Branch>& branches);

} // namespace helper::groups::tree
