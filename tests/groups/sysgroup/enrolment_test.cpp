// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests enrolment on real ranks: with every scheme, the members of a group form one tree.

#include <algorithm>
#include <climits>
#include <set>
#include <string>
#include <vector>

#include "groups/sysgroup/groups.hpp"
#include "support/catch.hpp"
#include "support/draw.hpp"
#include "support/mpi_support.hpp"

using namespace test_support;

namespace {

struct NamedScheme {
  const char* scheme;
  const char* filler;
};

constexpr NamedScheme schemes[]{{"centralised", "leaf"}, {"balance", "leaf"}, {"balance", "child"},
                                {"hash", "none"},        {"hash", "child"},   {"hash", "leaf"}};

/// What a rank knows of its place in a group. If it is no member, the other values do not count.
struct Knowledge {
  static constexpr int most_children = 8;
  bool is_member;
  int rank, size, depth, parent;
  std::vector<int> children;
};

std::vector<Knowledge> gather(MPIX_Sysgroup group) {
  std::vector<int> mine(6 + Knowledge::most_children);
  if (group != MPIX_SYSGROUP_NULL) {
    mine[0] = 1;
    MPIX_Sysgroup_rank(group, &mine[1]);
    MPIX_Sysgroup_size(group, &mine[2]);
    MPIX_Sysgroup_depth(group, &mine[3]);
    MPIX_Sysgroup_parent(group, &mine[4]);
    MPIX_Sysgroup_children(group, Knowledge::most_children, &mine[5], &mine[6]);
  }
  const std::vector<int> all = from_all(mine);
  std::vector<Knowledge> known;
  for (auto at = all.begin(); at != all.end(); at += static_cast<std::ptrdiff_t>(mine.size()))
    known.push_back({at[0] != 0, at[1], at[2], at[3], at[4], {at + 6, at + 6 + at[5]}});
  return known;
}

int levels(int members, int branching) {
  int height = 0;
  for (long capacity = 0; capacity < members; ++height) capacity = capacity * branching + 1;
  return height;
}

/// Checks that the places form one tree of exactly the ranks in `members`, with the least possible depth.
void check_tree(const std::vector<Knowledge>& known, const std::vector<bool>& members, int branching) {
  const auto size = static_cast<int>(std::count(members.begin(), members.end(), true));
  std::vector<const Knowledge*> by_rank(static_cast<std::size_t>(size));
  for (std::size_t process = 0; process < known.size(); ++process) {
    const Knowledge& of = known[process];
    REQUIRE(of.is_member == members[process]);
    if (!of.is_member) continue;
    REQUIRE(of.size == size);
    REQUIRE((of.rank >= 0 && of.rank < size));
    REQUIRE(by_rank[static_cast<std::size_t>(of.rank)] == nullptr);
    by_rank[static_cast<std::size_t>(of.rank)] = &of;
  }
  int edges = 0;
  for (const Knowledge* of : by_rank) {
    REQUIRE((of->rank == 0) == (of->parent == MPI_PROC_NULL));
    REQUIRE((of->rank == 0) == (of->depth == 0));
    REQUIRE(static_cast<int>(of->children.size()) <= branching);
    REQUIRE(of->depth < levels(size, branching));
    for (const int child : of->children) {
      ++edges;
      REQUIRE(by_rank[static_cast<std::size_t>(child)]->parent == of->rank);
      REQUIRE(by_rank[static_cast<std::size_t>(child)]->depth == of->depth + 1);
    }
  }
  REQUIRE(edges == std::max(size - 1, 0)); // so the tree is connected: each edge leads one level down
}

std::vector<bool> draw_members(Draw& draw, const std::vector<bool>& of) {
  const int likely = draw.of({0, 1, 5, 9, 10});
  std::vector<bool> members;
  for (const bool may : of) {
    const bool will = draw.upto(9) < likely;
    members.push_back(may && will);
  }
  return members;
}

/// Enrols a random part of `of` in a new group of `parent`, then in that group, for several generations.
void enrol(Draw& draw, MPIX_Sysgroup parent, const std::vector<bool>& of, int generations) {
  const auto self = static_cast<std::size_t>(rank_of(MPI_COMM_WORLD));
  const NamedScheme scheme = draw.of(schemes);
  const int branching = draw.of({1, 2, 3, 4, 7});
  const auto members = draw_members(draw, of);
  INFO(scheme.scheme << " " << scheme.filler << ", k " << branching << ", generation " << generations);
  const Info info{{"mpi_helper_scheme", scheme.scheme},
                  {"mpi_helper_filler", scheme.filler},
                  {"mpi_helper_fillers", draw.of({"0", "1", "20"})},
                  {"mpi_helper_hash", draw.of({"0", "1", "100"})},
                  {"mpi_helper_branching", std::to_string(branching)}};
  MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
  if (parent != MPIX_SYSGROUP_NULL)
    REQUIRE(MPIX_Sysgroup_enroll(parent, members[self] ? 1 : 0, info, &group) == MPI_SUCCESS);
  check_tree(gather(group), members, branching);
  if (generations > 1) enrol(draw, group, members, generations - 1);
  if (group != MPIX_SYSGROUP_NULL) REQUIRE(MPIX_Sysgroup_free(&group) == MPI_SUCCESS);
  REQUIRE(group == MPIX_SYSGROUP_NULL);
}

} // namespace

TEST_CASE("a communicator's group is the implicit tree") {
  const int size = size_of(MPI_COMM_WORLD);
  for (const int branching : {1, 2, 5}) {
    MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
    const Info info{{"mpi_helper_branching", std::to_string(branching)}};
    REQUIRE(MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, info, &all) == MPI_SUCCESS);
    check_tree(gather(all), std::vector<bool>(static_cast<std::size_t>(size), true), branching);
    int rank = -1;
    MPIX_Sysgroup_rank(all, &rank);
    CHECK(rank == rank_of(MPI_COMM_WORLD));
    MPIX_Sysgroup_free(&all);
  }
}

TEST_CASE("members of nested groups form trees") {
  const char* const layout = GENERATE("rank", "node");
  Draw draw(seed());
  const auto size = static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
  const Info info{{"mpi_helper_branching", "3"}, {"mpi_helper_layout", layout}};
  MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, info, &all);
  for (int round = 0; round < (size > 8 ? 4 : 20); ++round)
    enrol(draw, all, std::vector<bool>(size, true), 3);
  MPIX_Sysgroup_free(&all);
}

namespace {

/// Splits `all` into groups by color, and compares each group with the colors of all processes.
void split(MPIX_Sysgroup all, const std::vector<int>& colors, MPI_Info info) {
  const auto self = static_cast<std::size_t>(rank_of(MPI_COMM_WORLD));
  MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
  REQUIRE(MPIX_Sysgroup_split(all, colors[self], info, &group) == MPI_SUCCESS);
  CHECK((group == MPIX_SYSGROUP_NULL) == (colors[self] == MPI_UNDEFINED));
  const auto known = gather(group);
  for (const int color : std::set(colors.begin(), colors.end())) {
    if (color == MPI_UNDEFINED) continue;
    auto of_color = known;
    std::vector<bool> members(colors.size());
    for (std::size_t process = 0; process < colors.size(); ++process) {
      members[process] = colors[process] == color;
      if (!members[process]) of_color[process].is_member = false;
    }
    check_tree(of_color, members, 4);
  }
  if (group != MPIX_SYSGROUP_NULL) MPIX_Sysgroup_free(&group);
}

} // namespace

TEST_CASE("a split gives a tree to each color") {
  Draw draw(seed());
  MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &all);
  std::vector<int> colors(static_cast<std::size_t>(size_of(MPI_COMM_WORLD)));
  for (int& color : colors) color = draw.of<int>({0, 3, 3, 17, MPI_UNDEFINED});
  split(all, colors, MPI_INFO_NULL);
  // Each process has a color of its own: with each scheme several groups are made at the same time.
  for (const char* scheme : {"balance", "hash", "centralised"}) {
    const Info info{{"mpi_helper_scheme", scheme}};
    for (std::size_t process = 0; process < colors.size(); ++process)
      colors[process] = static_cast<int>(process * 7919 % 10007);
    split(all, colors, info);
  }
  std::ranges::fill(colors, MPI_UNDEFINED);
  split(all, colors, MPI_INFO_NULL);
  std::ranges::fill(colors, INT_MAX);
  split(all, colors, MPI_INFO_NULL);
  MPIX_Sysgroup_free(&all);
}

TEST_CASE("a group outlives its parent and the communicator") {
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(comm, MPI_INFO_NULL, &all);
  MPI_Comm_free(&comm);
  MPIX_Sysgroup_enroll(all, 1, MPI_INFO_NULL, &group);
  MPIX_Sysgroup_free(&all);
  int sum = 0;
  const int one = 1;
  CHECK(MPIX_Sysgroup_allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, group) == MPI_SUCCESS);
  CHECK(sum == size_of(MPI_COMM_WORLD));
  MPIX_Sysgroup_free(&group);
}
