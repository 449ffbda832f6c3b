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

/// The places of a group's members, by process; those of others are empty.
using Group = std::vector<std::shared_ptr<const Place>>;

Group communicator(Rank size, int branching);

/// In which order messages arrive.
enum class Delivery { in_order_of_sending, any_order };

struct Result {
  Group group;
  std::size_t messages = 0;
  std::size_t most_state_bytes = 0; ///< of a process
  std::string wrong;                ///< what is not as it should be; empty if all is
};

/// Enrols those members of `parent` that participate, until no message is under way.
Result enrol(const Group& parent, const std::vector<bool>& participates, const Scheme& scheme, Delivery,
             std::mt19937_64& random);

/// What is wrong with the places of a group whose vertices may have so many children, in so many levels;
/// empty if nothing is.
std::string wrong_with(const Group& group, int branching, int levels);

} // namespace tree_test
