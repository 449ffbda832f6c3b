// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <malloc.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include "ranks/nodes.hpp"
#include "ranks/rank_map.hpp"
#include "support/catch.hpp"
#include "support/draw.hpp"
#include "support/seed.hpp"
#include "transport/shadow.hpp"

using helper::ranks::Location;
using helper::ranks::Locations;
using helper::ranks::Nodes;
using helper::ranks::RankMap;
using helper::transport::Agreement;
using helper::transport::Shadow;
using test_support::Draw;

namespace {

using Names = std::vector<int>; // the node of each rank

Names block(int ranks, int on_node) {
  Names nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back(rank / on_node);
  return nodes;
}

Names cyclic(int ranks, int nodes) {
  Names all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(rank % nodes);
  return all;
}

/// Compares the results of Nodes at each rank with simple computations.
void check(const Names& node_of_rank) {
  Names order; // names of nodes, ordered by their first ranks
  std::vector<std::vector<int>> ranks;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    const auto found = std::ranges::find(order, node_of_rank[rank]);
    const auto node = static_cast<std::size_t>(found - order.begin());
    if (found == order.end()) {
      order.push_back(node_of_rank[rank]);
      ranks.emplace_back();
    }
    ranks[node].push_back(static_cast<int>(rank));
  }
  const auto [fewest, most] = std::ranges::minmax(ranks, {}, &std::vector<int>::size);
  std::vector<int> in_order;
  for (const auto& of_node : ranks) in_order.insert(in_order.end(), of_node.begin(), of_node.end());
  for (int own = 0; own < static_cast<int>(node_of_rank.size()); ++own) {
    const Nodes nodes = Nodes::named(node_of_rank, own);
    REQUIRE(nodes.count() == ranks.size());
    CHECK(nodes.fewest() == fewest.size());
    CHECK(nodes.most() == most.size());
    CHECK(nodes.in_order() == std::ranges::is_sorted(in_order));
    CHECK(nodes.are_even() == (fewest.size() == most.size()));
    for (std::size_t node = 0; node < ranks.size(); ++node) {
      CHECK(nodes.size(node) == ranks[node].size());
      CHECK(nodes.ranks(node) == ranks[node]);
      for (std::size_t index = 0; index < ranks[node].size(); ++index) {
        const Nodes::NodePlace place = nodes.place(ranks[node][index]);
        CHECK(place.node == node);
        CHECK(place.index == index);
      }
    }
    const std::vector<int>& neighbours = ranks[nodes.own_node()];
    REQUIRE(nodes.own_index() < neighbours.size());
    CHECK(neighbours[nodes.own_index()] == own);
    for (int rank = 0; rank < static_cast<int>(node_of_rank.size()); ++rank) {
      const std::size_t index = nodes.index_on_own_node(rank);
      const bool is_here = std::ranges::find(neighbours, rank) != neighbours.end();
      CHECK((index < neighbours.size()) == is_here);
      if (is_here) CHECK(neighbours[index] == rank);
    }
  }
}

/// Returns the locations of ranks on the given nodes. On each node the ranks have positions 0, 3, 6 …
std::vector<Location> located(const Names& node_of_rank) {
  std::vector<Location> all;
  std::vector<int> next(node_of_rank.size());
  for (const int node : node_of_rank) {
    const auto first = static_cast<int>(std::ranges::find(node_of_rank, node) - node_of_rank.begin());
    all.push_back({first, 3 * next[static_cast<std::size_t>(node)]++});
  }
  return all;
}

void check(const std::vector<Location>& by_rank) {
  const Locations all(by_rank);
  REQUIRE(all.size() == static_cast<int>(by_rank.size()));
  for (int rank = 0; rank < all.size(); ++rank) CHECK(all[rank] == by_rank[static_cast<std::size_t>(rank)]);
}

std::size_t allocated = 0; // in bytes; never decreases

/// Returns how many bytes `make()` has allocated.
template <class Make>
std::size_t bytes_of(const Make& make) {
  const std::size_t before = allocated;
  const auto made = make();
  return allocated - before;
}

/// Returns the shadow of ranks on the given nodes, as the first rank sees it, without an MPI communicator.
Shadow many(const Names& node_of_rank) {
  Names ranks(node_of_rank.size());
  std::iota(ranks.begin(), ranks.end(), 5);
  Nodes nodes = Nodes::named(node_of_rank, 0);
  std::vector<helper::team::Bell*> bells(nodes.size(0));
  return Shadow(Agreement{.size = static_cast<int>(ranks.size()),
                          .peers = RankMap(std::move(ranks)),
                          .port = 1,
                          .nodes = std::move(nodes),
                          .bells = std::move(bells)});
}

} // namespace

void* operator new(std::size_t bytes) {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  allocated += malloc_usable_size(memory);
  return memory;
}

void operator delete(void* memory) noexcept {
  allocated -= malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  operator delete(memory);
}

TEST_CASE("A map of ranks has them all, evenly spaced or not") {
  Draw draw(test_support::seed());
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::vector<int> ranks(static_cast<std::size_t>(draw.upto(40)));
    const int first = draw.upto(100);
    const int stride = draw.upto(6) - 3;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      ranks[rank] = first + stride * static_cast<int>(rank);
    if (draw.coin()) draw.shuffle(ranks);
    if (!ranks.empty() && draw.coin()) ranks.back() = MPI_UNDEFINED;
    const RankMap map(ranks);
    CHECK(map.size() == static_cast<int>(ranks.size()));
    CHECK(map.all() == ranks);
  }
  CHECK(RankMap::identity(3).all() == std::vector<int>{0, 1, 2});
}

TEST_CASE("Nodes know their ranks, however these are distributed") {
  for (const int ranks : {1, 2, 3, 8, 13}) {
    for (int nodes = 1; nodes <= ranks; ++nodes) {
      check(block(ranks, nodes));
      check(cyclic(ranks, nodes));
    }
  }
  check({0, 0, 1, 1, 1}); // the last node has more ranks than the others
  check({7, 7, 7, 2, 3, 3});
  Draw draw(test_support::seed());
  for (int repetition = 0; repetition < 100; ++repetition) {
    Names nodes(static_cast<std::size_t>(1 + draw.upto(12)));
    for (int& node : nodes) node = draw.upto(4);
    check(nodes);
  }
}

TEST_CASE("What is kept of a communicator of many ranks does not grow with them") {
  constexpr int on_node = 64;
  const auto of_block = [](int ranks) { return bytes_of([&] { return many(block(ranks, on_node)); }); };
  const auto of_cyclic = [](int ranks) {
    return bytes_of([&] { return many(cyclic(ranks, ranks / on_node)); });
  };
  CHECK(of_block(16'384) == of_block(on_node));
  CHECK(of_cyclic(16'384) == of_block(on_node));
  CHECK(of_block(on_node) < 16 * on_node);
}

TEST_CASE("It is known of all ranks where they are, on whichever nodes and positions") {
  Draw draw(test_support::seed());
  for (int repetition = 0; repetition < 200; ++repetition) {
    const int ranks = 1 + draw.upto(12);
    const int nodes = 1 + draw.upto(ranks - 1);
    Names names = draw.coin() ? block(ranks, nodes) : cyclic(ranks, nodes);
    if (draw.coin()) draw.shuffle(names);
    std::vector<Location> all = located(names);
    if (draw.coin()) all[static_cast<std::size_t>(draw.upto(ranks - 1))].position = draw.upto(9);
    check(all);
  }
}

TEST_CASE("Where the ranks are takes no memory for each if their nodes are alike") {
  constexpr int on_node = 64;
  const auto of = [](const Names& nodes) { return bytes_of([&] { return Locations(located(nodes)); }); };
  CHECK(of(block(16'384, on_node)) < 16 * on_node);
  CHECK(of(cyclic(16'384, 16'384 / on_node)) < 16 * on_node);
}
