// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "groups/tree/enrolment.hpp"

/// Enrols processes that exchange their messages in memory, without a transport.
namespace tree_test {

using helper::groups::tree::EnrolmentMessage;
using helper::groups::tree::Id;
using helper::groups::tree::Place;
using helper::groups::tree::Rank;
using helper::groups::tree::Scheme;

const std::vector<Scheme>& schemes(); ///< all combinations with branching factor 3
std::string name(const Scheme& scheme);

/// The places of the members of a group, by process. Null for processes that are no members.
using Group = std::vector<std::shared_ptr<const Place>>;

Group communicator(Rank size, int branching);

/// The order in which messages arrive.
enum class Delivery { in_order_of_sending, any_order };

struct Result {
  Group group;
  std::size_t messages = 0;
  std::size_t most_state_bytes = 0; ///< the largest state of a process
  std::string wrong;                ///< what is wrong, or an empty text
};

/// Enrols the members of `parent` that participate. Returns when no message is in flight.
Result enrol(const Group& parent, const std::vector<bool>& participates, const Scheme& scheme, Delivery,
             std::mt19937_64& random);

/// Returns what is wrong with the places of a group, or an empty text. A vertex has at most `branching`
/// children, and the tree at most `levels` levels.
std::string wrong_with(const Group& group, int branching, int levels);

} // namespace tree_test
