// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include "groups/tree/network.hpp"
#include "support/catch.hpp"

using namespace tree_test;
using namespace helper::groups::tree;

namespace {

using enum Scheme::SchemeAlgorithm;
using Filler = Scheme::Filler;

/// Draws participants: process 0, and each other process with probability `fraction`.
std::vector<bool> drawn(Rank size, double fraction, std::mt19937_64& random) {
  std::vector<bool> chosen(static_cast<std::size_t>(size));
  for (auto one : chosen) one = std::bernoulli_distribution(fraction)(random);
  chosen[0] = true;
  return chosen;
}

/// Returns the number of vertices, without the root, that have participants in their subtrees.
std::size_t on_paths(const std::vector<bool>& chosen) {
  std::vector<bool> marked = chosen;
  for (std::size_t id = chosen.size() - 1; id > 0; --id)
    if (marked[id]) marked[static_cast<std::size_t>(parent(static_cast<Rank>(id), 3))] = true;
  return static_cast<std::size_t>(std::count(marked.begin() + 1, marked.end(), true));
}

} // namespace

TEST_CASE("Messages are as many as the formulas say") {
  std::mt19937_64 random(2);
  for (const Rank size : {1, 2, 40, 41, 300, 2048}) {
    const Group world = communicator(size, 3);
    for (const double fraction : {0.0, 0.01, 0.1, 0.3, 0.6, 0.9, 1.0}) {
      const auto chosen = drawn(size, fraction, random);
      const auto n = static_cast<std::size_t>(size);
      const auto m = static_cast<std::size_t>(std::ranges::count(chosen, true));
      const auto passes = n - 1 + on_paths(chosen);
      const auto messages = [&](const Scheme& scheme) {
        return enrol(world, chosen, scheme, Delivery::any_order, random).messages;
      };
      INFO(n << " processes, " << m << " participants");
      CHECK(messages({centralised, Filler::none, 3}) == n - 1 + m - 1);
      const auto hashing = 3 * m - 2 + (m + 1) / 3;
      for (const auto filler : {Filler::none, Filler::child, Filler::leaf})
        CHECK(messages({hash, filler, 3}) == passes + hashing);
      for (const auto filler : {Filler::child, Filler::leaf}) CHECK(messages({balance, filler, 3}) >= passes);
    }
  }
}

TEST_CASE("Vertices name as many leaves as they are asked to") {
  std::mt19937_64 random(4);
  std::vector<bool> chosen = drawn(300, 0.5, random);
  const auto bytes = [&](std::int32_t least) {
    return enrol(communicator(300, 3), chosen, {balance, Filler::leaf, 3, 0, least}, Delivery::any_order,
                 random)
        .most_state_bytes;
  };
  CHECK(bytes(1) == bytes(0)); // some vertices offer more anyway: one leaf for each level above them
  CHECK(bytes(50) > bytes(1));
}

TEST_CASE("A tree that is as shallow as can be is left as it is") {
  std::mt19937_64 random(3);
  for (const Rank size : {1, 2, 40, 1000, 5000}) {
    const std::vector<bool> all(static_cast<std::size_t>(size), true);
    const Result result =
        enrol(communicator(size, 3), all, {balance, Filler::leaf, 3}, Delivery::any_order, random);
    CHECK(result.messages == 2 * static_cast<std::size_t>(size - 1));
    for (std::size_t id = 1; id < all.size(); ++id)
      REQUIRE(result.group[id]->parent == parent(static_cast<Rank>(id), 3));
  }
}
