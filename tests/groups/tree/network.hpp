// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "groups/tree/enrolment.hpp"

/// Enrolments without a transport.
namespace tree_test {

using helper::groups::tree::EnrolmentMessage;
using helper::groups::tree::Id;
using helper::groups::tree::Place;
using helper::groups::tree::Rank;
using helper::groups::tree::Scheme;

const std::vector<Scheme>& schemes(); ///< all combinations, with branching factor 3
std::string name(const Scheme& scheme);

/// The places of a group's members, by process; empty for other processes.
using Group = std::vector<std::shared_ptr<const Place>>;

Group communicator(Rank size, int branching);

/// In which order messages arrive.
enum class Delivery { in_order_of_sending, any_order };

struct Result {
  Group group;
  std::size_t messages = 0;
  std::size_t most_state_bytes = 0; ///< of a process
  std::string wrong;                ///< what is wrong; empty if nothing is
};

/// Enrols the members of `parent` that participate, until no message is in flight.
Result enrol(const Group& parent, const std::vector<bool>& participates, const Scheme& scheme, Delivery,
             std::mt19937_64& random);

/// Returns what is wrong with the places of a group whose vertices have at most `branching` children, in at
/// most `levels` levels; empty if nothing is.
std::string wrong_with(const Group& group, int branching, int levels);

} // namespace tree_test
