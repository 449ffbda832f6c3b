// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "groups/tree/message.hpp"

namespace helper::groups::tree {

/// A candidate is a participant that may be told to fill a hole.
struct Candidate {
  Id id;
  /// The number of relocations and orders sent to it so far. Messages of different senders may overtake one
  /// another, so what depends on those has to wait for as many.
  std::int32_t sent;
};

/// An order tells its receiver to give so many `vertices` of its subtree to `consumer`.
struct Order {
  Id consumer;
  Rank vertices;
};

/// A branch is what the vertex above knows of a subtree.
struct Branch {
  Candidate root;
  Rank size;
  /// The level of the hole that its root was relocated to, or that made it a child of another vertex.
  std::int32_t level = own_level;
  /// Participants of the subtree that may be taken out one after the other, each of them a leaf by then.
  std::vector<Candidate> fillers = {};
  /// Those of it that have been taken out, which vertices below have yet to be told.
  std::vector<Id> victims = {};
  std::vector<Order> orders = {}; ///< those that have not been sent to its root yet

  static constexpr std::int32_t own_level = INT32_MAX;
};

/// Returns the fillers of a vertex with these branches, at most `most`. Each comes from the branch that has
/// the most vertices left, so that a tree which loses them stays even.
std::vector<Candidate> elimination_order(const std::vector<Branch>& branches, std::size_t most);

/// Writes and reads a branch with its fillers, as reports have it on the way up.
void put_report(EnrolmentMessage& message, const Branch& branch);
Branch get_report(MessageReader& reader);

/// Returns the heap memory that branches take.
std::size_t heap_bytes_of(const std::vector<Branch>& branches);

} // namespace helper::groups::tree
