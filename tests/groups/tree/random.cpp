// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "groups/tree/network.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"

using namespace tree_test;
using namespace helper::groups::tree;
using test_support::seed;

namespace {

int upto(std::mt19937_64& random, int most) {
  return std::uniform_int_distribution(0, most)(random);
}

/// Draws the size of a group. Most groups are small, because these have the special cases.
Rank group_size(std::mt19937_64& random) {
  const int most = std::array{12, 60, 400, 5000}[random() % 16 < 15 ? random() % 3 : 3];
  return 1 + upto(random, most - 1);
}

/// Draws the participants of a group, in one of six ways: at random, an interval, every n-th process, all
/// leaves, some leaves, or an interval and others.
std::vector<bool> participants(const Group& parent, std::mt19937_64& random) {
  const int kind = upto(random, 5);
  const double fraction = std::array{0.001, 0.01, 0.1, 0.3, 0.5, 0.6, 0.9, 0.99}[random() % 8];
  const auto size = static_cast<int>(parent.size());
  const int from = upto(random, size - 1), to = from + upto(random, size - from), step = 1 + upto(random, 9);
  std::vector<bool> chosen(parent.size());
  for (int id = 0; id < size; ++id) {
    const auto index = static_cast<std::size_t>(id);
    if (!parent[index]) continue;
    const bool interval = id >= from && id < to;
    const bool drawn = std::bernoulli_distribution(fraction)(random);
    const bool is_leaf = parent[index]->children.empty();
    chosen[index] = std::array{drawn, interval, id % step == 0, is_leaf, is_leaf && drawn, interval || drawn}
        [static_cast<std::size_t>(kind)];
  }
  return chosen;
}

Rank count(const Group& group) {
  return static_cast<Rank>(std::ranges::count_if(group, [](const auto& place) { return place != nullptr; }));
}

/// Returns the most memory that the paper promises for a process, with the constants of this implementation.
std::size_t allowed_memory(const Scheme& scheme, int levels, int widest) {
  const auto k = static_cast<std::size_t>(std::max(scheme.branching, widest));
  const auto log_n = static_cast<std::size_t>(levels);
  constexpr std::size_t fixed = 1000, per_branch = 250, per_filler = 32;
  if (scheme.algorithm == Scheme::SchemeAlgorithm::hash && scheme.filler == Scheme::Filler::none)
    return fixed + k * per_branch;
  const auto fillers = std::max(log_n, static_cast<std::size_t>(scheme.least_fillers));
  return fixed + k * log_n * (per_branch + per_filler * fillers);
}

} // namespace

TEST_CASE("Whatever the group, the participants and the order of messages: a right tree") {
  std::mt19937_64 random(seed());
  std::size_t cases = 0;
  for (int i = 0; i < 400; ++i) {
    const int branching = std::array{1, 2, 3, 3, 3, 4, 8}[random() % 7];
    const Rank size = branching == 1 ? std::min(group_size(random), 60) : group_size(random);
    const Group world = communicator(size, branching);
    const auto chosen = participants(world, random);
    for (Scheme scheme : schemes()) {
      if (random() % 4 == 0) scheme.branching = 1 + upto(random, 5);
      if (random() % 2 == 0) scheme.shift = upto(random, 3 * size);
      const auto delivery = random() % 4 == 0 ? Delivery::in_order_of_sending : Delivery::any_order;
      const Result result = enrol(world, chosen, scheme, delivery, random);
      INFO("case " << i << ": " << size << " processes, branching factor " << branching << ", "
                   << name(scheme));
      REQUIRE(result.wrong == "");
      if (scheme.algorithm != Scheme::SchemeAlgorithm::centralised && branching > 1)
        REQUIRE(result.most_state_bytes <= allowed_memory(scheme, height(size, branching), branching));
      ++cases;
    }
  }
  fmt::print("{} cases\n", cases);
}

TEST_CASE("The tree does not depend on the order of messages") {
  std::mt19937_64 random(seed());
  for (int i = 0; i < 60; ++i) {
    const Group world = communicator(1 + upto(random, 500), 3);
    const auto chosen = participants(world, random);
    for (const Scheme& scheme : schemes()) {
      const Group first = enrol(world, chosen, scheme, Delivery::in_order_of_sending, random).group;
      INFO("case " << i << ", " << name(scheme));
      const Group second = enrol(world, chosen, scheme, Delivery::any_order, random).group;
      for (std::size_t id = 0; id < first.size(); ++id) {
        if (!first[id]) continue;
        REQUIRE(first[id]->parent == second[id]->parent);
        REQUIRE(first[id]->rank == second[id]->rank);
      }
    }
  }
}

TEST_CASE("Groups of groups, each by another scheme") {
  std::mt19937_64 random(seed());
  for (int i = 0; i < 150; ++i) {
    Group group = communicator(1 + upto(random, 700), 1 + upto(random, 4));
    for (int generation = 0; generation < 4 && count(group) > 0; ++generation) {
      Scheme scheme = schemes()[random() % schemes().size()];
      scheme.branching = 1 + upto(random, 4);
      const auto chosen = participants(group, random);
      const Result result = enrol(group, chosen, scheme, Delivery::any_order, random);
      INFO("case " << i << ", generation " << generation << ", " << name(scheme));
      REQUIRE(result.wrong == "");
      group = result.group;
    }
  }
}

/// Returns whether the subtree of each process of `node`, as far as it is in the node, is contiguous in it.
bool branches_are_contiguous(const Group& world, const std::vector<Id>& node) {
  const auto index_of = [&](Id id) { return std::ranges::find(node, id) - node.begin(); };
  return std::ranges::all_of(node, [&](Id top) {
    std::vector<std::ptrdiff_t> branch;
    for (const Id id : node) {
      Id above = id;
      while (above != top && above != nobody) above = world[static_cast<std::size_t>(above)]->parent;
      if (above == top) branch.push_back(index_of(id));
    }
    return branch.back() - branch.front() + 1 == std::ssize(branch);
  });
}

TEST_CASE("Trees by nodes: each node hangs together, and groups can be made of the whole") {
  std::mt19937_64 random(seed());
  for (int i = 0; i < 100; ++i) {
    const int branching = 1 + upto(random, 4);
    const Rank size = 1 + upto(random, 200);
    std::vector<std::vector<Id>> nodes(static_cast<std::size_t>(1 + upto(random, 9)));
    std::vector<std::size_t> node_of;
    for (Id id = 0; id < size; ++id) {
      node_of.push_back(id == 0 ? 0 : random() % nodes.size());
      nodes[node_of.back()].push_back(id);
    }
    std::erase_if(nodes, [](const auto& node) { return node.empty(); });
    for (auto& node : nodes)
      std::ranges::shuffle(node.begin() + (node.front() == 0 ? 1 : 0), node.end(), random);
    Group world;
    for (Id id = 0; id < size; ++id)
      world.push_back(std::make_shared<const Place>(by_nodes(id, nodes, branching)));
    INFO("case " << i << ": " << size << " processes on " << nodes.size() << " nodes, k " << branching);
    REQUIRE(wrong_with(world, branching, size) == "");
    const auto leaves_node = [&](const auto& place) {
      return place->parent != nobody &&
             node_of[static_cast<std::size_t>(place->parent)] != node_of[static_cast<std::size_t>(place->id)];
    };
    REQUIRE(std::ranges::count_if(world, leaves_node) == static_cast<std::ptrdiff_t>(nodes.size()) - 1);
    for (const auto& node : nodes) REQUIRE(branches_are_contiguous(world, node));
    for (const Scheme& scheme : schemes())
      REQUIRE(enrol(world, participants(world, random), scheme, Delivery::any_order, random).wrong == "");
  }
}
