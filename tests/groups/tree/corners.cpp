// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <stdexcept>

#include "groups/tree/network.hpp"
#include "support/catch.hpp"

using namespace tree_test;
using namespace helper::groups::tree;

namespace {

/// With every scheme, enrols the processes (of `size`) for which `participates` returns true. Checks the size
/// of the group.
template <class Participates>
void require_group(Rank size, const Participates& participates) {
  std::mt19937_64 random(1);
  const Group world = communicator(size, 3);
  std::vector<bool> chosen;
  for (Rank id = 0; id < size; ++id) chosen.push_back(participates(*world[static_cast<std::size_t>(id)]));
  for (const Scheme& scheme : schemes()) {
    INFO(name(scheme) << ", " << size << " processes");
    const Result result = enrol(world, chosen, scheme, Delivery::any_order, random);
    REQUIRE(result.wrong == "");
    for (std::size_t id = 0; id < chosen.size(); ++id) REQUIRE((result.group[id] != nullptr) == chosen[id]);
  }
}

constexpr std::array sizes{1, 2, 3, 4, 5, 12, 13, 14, 39, 40, 41, 1000};

} // namespace

TEST_CASE("All participate") {
  for (const Rank size : sizes) require_group(size, [](const Place&) { return true; });
}

TEST_CASE("Nobody participates") {
  for (const Rank size : sizes) require_group(size, [](const Place&) { return false; });
}

TEST_CASE("The root alone participates") {
  for (const Rank size : sizes) require_group(size, [](const Place& place) { return place.id == 0; });
}

TEST_CASE("All but the root participate") {
  for (const Rank size : sizes) require_group(size, [](const Place& place) { return place.id != 0; });
}

TEST_CASE("Leaves alone participate") {
  for (const Rank size : sizes)
    require_group(size, [](const Place& place) { return place.children.empty(); });
}

TEST_CASE("One level alone participates") {
  for (const Rank size : sizes)
    for (int depth = 0; depth < 6; ++depth)
      require_group(size, [&](const Place& place) { return place.depth == depth; });
}

TEST_CASE("One path alone participates") {
  require_group(1000, [](const Place& place) { return place.id == 0 || place.id % 3 == 1; });
}

TEST_CASE("One participates, whoever it is") {
  for (Id one = 0; one < 41; ++one) require_group(41, [&](const Place& place) { return place.id == one; });
}

TEST_CASE("Every subset of 13 processes") {
  for (unsigned subset = 0; subset < 1u << 13; subset += 3)
    require_group(13, [&](const Place& place) { return (subset >> place.id & 1) != 0; });
}

TEST_CASE("Schemes that there are none of are refused") {
  const Place place = in_communicator(0, 1, 3);
  using enum Scheme::SchemeAlgorithm;
  using enum Scheme::Filler;
  CHECK_THROWS_AS(make_enrolment({balance, none, 3}, place, true, {}), std::invalid_argument);
  CHECK_THROWS_AS(make_enrolment({hash, none, 0}, place, true, {}), std::invalid_argument);
}
