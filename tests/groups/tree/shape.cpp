// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "groups/tree/place.hpp"
#include "support/catch.hpp"

using namespace helper::groups::tree;

TEST_CASE("A full tree of h levels has capacity(h) vertices, and one more makes it higher") {
  for (const int branching : {1, 2, 3, 4, 7, 64}) {
    for (int levels = 1; levels < 6; ++levels) {
      const Rank full = capacity(levels, branching);
      CHECK(full == (branching == 1 ? levels
                                    : static_cast<Rank>((std::llround(std::pow(branching, levels)) - 1) /
                                                        (branching - 1))));
      CHECK(height(full, branching) == levels);
      CHECK(height(full + 1, branching) == levels + 1);
      CHECK(depth(full, branching) == levels);
      CHECK(depth(full - 1, branching) == levels - 1);
    }
    CHECK(height(0, branching) == 0);
    CHECK(height(1, branching) == 1);
  }
}

TEST_CASE("The greatest group has a height") {
  constexpr Rank most = std::numeric_limits<Rank>::max();
  CHECK(height(most, 2) == 31);
  CHECK(capacity(40, 3) == most);
  CHECK(height(most, most) == 2);
  CHECK(children(most - 1, most, 3) == 0);
}

TEST_CASE("Children and parents agree") {
  for (const int branching : {1, 2, 3, 5, 16}) {
    for (const Rank size : {1, 2, 3, 4, 5, 40, 41, 1000}) {
      Rank seen = 1;
      for (Rank rank = 0; rank < size; ++rank) {
        for (int i = 0; i < children(rank, size, branching); ++i) {
          const Rank below = child(rank, i, branching);
          REQUIRE(below == seen++);
          REQUIRE(parent(below, branching) == rank);
          REQUIRE(depth(below, branching) == depth(rank, branching) + 1);
        }
      }
      REQUIRE(seen == size);
    }
  }
}

TEST_CASE("The ranks of a subtree are one interval in each level, and no more than there must be") {
  const auto intervals = [](Rank root, Rank size, int branching) {
    std::vector<std::pair<Rank, Rank>> all;
    for (const auto& [first, end] : in_communicator(root, size, branching).subtree())
      all.emplace_back(first, end);
    return all;
  };
  using Intervals = std::vector<std::pair<Rank, Rank>>;
  CHECK(intervals(1, 10, 2) == Intervals{{1, 2}, {3, 5}, {7, 10}});
  CHECK(intervals(2, 10, 2) == Intervals{{2, 3}, {5, 7}});
  CHECK(intervals(0, 10, 2) == Intervals{{0, 10}});
  CHECK(intervals(3, 10, 1) == Intervals{{3, 10}});
  constexpr Rank most = std::numeric_limits<Rank>::max();
  CHECK(intervals(most - 1, most, 3) == Intervals{{most - 1, most}});
  CHECK(intervals(1, most, 2).size() == 30);
}

TEST_CASE("Up to as many vertices as fit into a tree, each edge has the ranks below it in few intervals") {
  // A gather sends one message for each interval, and a scan two.
  for (const int branching : {2, 4, 8}) {
    std::size_t messages = 0;
    const Rank size = 20000;
    for (Rank rank = 1; rank < size; ++rank) {
      const auto intervals = in_communicator(rank, size, branching).subtree();
      CHECK(static_cast<int>(intervals.size()) <= height(size, branching) - depth(rank, branching));
      messages += intervals.size();
    }
    // If the subtrees are full trees of every height, an edge has k / (k - 1) messages on average.
    CHECK(static_cast<double>(messages) <= 1.01 * size * branching / (branching - 1));
  }
}
