// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// How many messages and bytes ranks send in each algorithm that goes by messages, compared with
// formulas. The library takes each rank's steps; the simulator has the ranks exchange the
// messages.

#include <mpi.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "collective/collective.hpp"
#include "collective/selection.hpp"
#include "lone_rank.hpp"
#include "model/scheduled.hpp"
#include "support/catch.hpp"
#include "team/team.hpp"

using namespace helper;
using namespace helper::collective;

namespace {

/// What the rank sends that sends most, and what all ranks send together.
struct Sent {
  std::size_t messages, all_messages;
  std::size_t blocks, all_blocks;
};

/// Every one of `n` ranks sends the same.
Sent each(std::size_t n, std::size_t messages, std::size_t blocks) {
  return {messages, n * messages, blocks, n * blocks};
}

/// Messages of a vector, which is n blocks.
Sent vectors(std::size_t n, std::size_t messages, std::size_t all) {
  return {messages, all, messages * n, all * n};
}

/// Returns ⌈log2 n⌉.
std::size_t log2_up(std::size_t n) {
  return static_cast<std::size_t>(std::bit_width(n - 1));
}

/// Returns ⌈log2 (n/3)⌉ of what is no power of two.
std::size_t log2_of_third(std::size_t n) {
  return log2_up((n + 2) / 3);
}

/// Returns how many bits are set in all numbers below n.
std::size_t bits(std::size_t n) {
  std::size_t all = 0;
  for (std::size_t number = 0; number < n; ++number) all += static_cast<std::size_t>(std::popcount(number));
  return all;
}

/// How many messages of a pass are two, since their blocks go round the end.
std::size_t split(std::size_t n) {
  return std::has_single_bit(n) ? 0 : n - 1 - log2_up(n);
}

/// A pass that reduces, and one that gathers.
Sent halving(std::size_t n) {
  return {log2_up(n) + (split(n) != 0 ? 1 : 0), n * log2_up(n) + split(n), n - 1, n * (n - 1)};
}
Sent doubling(std::size_t n) {
  return {log2_up(n) + (std::has_single_bit(n) ? 0 : log2_of_third(n)), n * log2_up(n) + split(n), n - 1,
          n * (n - 1)};
}
Sent halving_and_doubling(std::size_t n) {
  const Sent gather = doubling(n);
  return {log2_up(n) + gather.messages, 2 * gather.all_messages, 2 * (n - 1), 2 * n * (n - 1)};
}

/// Returns how many ranks the largest subtree below the first rank has: half of them.
std::size_t largest_subtree(std::size_t n) {
  return n / 2;
}

/// Behind the pass that reduces, a rank sends what its subtree has up the tree to the first one.
Sent halving_to_root(std::size_t n) {
  const Sent reduce = halving(n);
  return {reduce.messages + 1, reduce.all_messages + n - 1, n - 1 + largest_subtree(n),
          n * (n - 1) + bits(n)};
}
/// Each rank sends what its subtree has to the rank above it.
Sent subtrees_to_root(std::size_t n) {
  return {1, n - 1, largest_subtree(n), bits(n)};
}
/// The same, down.
Sent subtrees_from_root(std::size_t n) {
  return {log2_up(n), n - 1, n - 1, bits(n)};
}
/// Down the tree from the first rank, and a pass that gathers, without what is for that rank.
Sent scatter_and_doubling(std::size_t n) {
  return {2 * log2_up(n), n - 1 + (n - 1) * log2_up(n) + split(n), 2 * (n - 1), bits(n) + (n - 1) * (n - 1)};
}

/// Where n is no power of two, ranks that are too many give theirs to others first, and have the result from
/// them.
Sent recursive_doubling(std::size_t n) {
  const std::size_t power = std::bit_floor(n);
  return vectors(n, log2_up(n), power * log2_up(power) + 2 * (n - power));
}

/// The messages of a scan: at each distance that is a power of two all ranks send that have one so far above.
std::size_t prefixes(std::size_t n) {
  return n * log2_up(n) + 1 - (std::size_t{1} << log2_up(n));
}

constexpr std::size_t on_node = 3; // ranks in two_level

/// The owners of shares send to one another in the node before and after the nodes do, of which there are n.
/// A share is n blocks.
Sent two_level(std::size_t n) {
  const Sent between = halving_and_doubling(n);
  const std::size_t within = 2 * (on_node - 1);
  return {within + between.messages, on_node * (n * within + between.all_messages),
          within * n + between.blocks, on_node * (n * n * within + between.all_blocks)};
}

/// Everything is one chunk.
constexpr std::size_t chunk = std::size_t{64} * 1024 * 1024;

using Element = std::uint64_t;

/// How many elements a rank has for another one, of `n`. Too many for the ways of few bytes, which send whole
/// what they have, are as few as that takes: all pairs of 1,024 ranks exchange them.
std::size_t one_element(std::size_t /*n*/) {
  return 1;
}
std::size_t large_block(std::size_t /*n*/) {
  return short_most / sizeof(Element) + 1;
}
std::size_t block_of_large_vector(std::size_t n) {
  return short_most / sizeof(Element) / n + 1;
}

struct Counted {
  Operation operation;
  Algorithm algorithm;
  Sent (*formula)(std::size_t n);
  std::size_t (*elements_of_block)(std::size_t n) = one_element;
};

Sent all_to_all(std::size_t n) {
  return each(n, n - 1, n - 1);
}
Sent to_all_and_back(std::size_t n) {
  return each(n, 2 * (n - 1), 2 * (n - 1));
}
Sent down_tree(std::size_t n) {
  return vectors(n, log2_up(n), n - 1);
}
Sent up_tree(std::size_t n) {
  return vectors(n, 1, n - 1);
}
Sent to_root(std::size_t n) {
  return {1, n - 1, 1, n - 1};
}
Sent from_root(std::size_t n) {
  return {n - 1, n - 1, n - 1, n - 1};
}
Sent bruck(std::size_t n) {
  return each(n, log2_up(n), n - 1);
}

const std::vector<Counted> table{
    {Operation::barrier, Algorithm::dissemination, [](std::size_t n) { return each(n, log2_up(n), 0); }},

    {Operation::bcast, Algorithm::binomial, down_tree},
    {Operation::bcast, Algorithm::pipelined_tree, down_tree},
    {Operation::bcast, Algorithm::chain, up_tree},
    {Operation::bcast, Algorithm::scatter_allgather, scatter_and_doubling},

    {Operation::reduce, Algorithm::binomial, up_tree},
    {Operation::reduce, Algorithm::linear, up_tree},
    {Operation::reduce, Algorithm::reduce_scatter_gather,
     [](std::size_t n) {
       return Sent{n, n * n - 1, n, n * n - 1};
     }},
    {Operation::reduce, Algorithm::recursive_halving, halving_to_root},

    {Operation::allreduce, Algorithm::recursive_doubling, recursive_doubling},
    {Operation::allreduce, Algorithm::two_level, two_level},
    {Operation::allreduce, Algorithm::reduce_scatter_allgather, to_all_and_back},
    {Operation::allreduce, Algorithm::recursive_halving, halving_and_doubling},
    {Operation::allreduce, Algorithm::ring, to_all_and_back},

    {Operation::reduce_scatter, Algorithm::recursive_doubling, recursive_doubling},
    {Operation::reduce_scatter, Algorithm::pairwise, all_to_all},
    {Operation::reduce_scatter, Algorithm::recursive_halving, bruck}, // the same, the other way
    {Operation::reduce_scatter, Algorithm::recursive_halving, halving, block_of_large_vector},
    {Operation::reduce_scatter, Algorithm::ring, all_to_all},
    {Operation::reduce_scatter_block, Algorithm::recursive_doubling, recursive_doubling},
    {Operation::reduce_scatter_block, Algorithm::pairwise, all_to_all},
    {Operation::reduce_scatter_block, Algorithm::recursive_halving, bruck},
    {Operation::reduce_scatter_block, Algorithm::recursive_halving, halving, block_of_large_vector},
    {Operation::reduce_scatter_block, Algorithm::ring, all_to_all},

    {Operation::scan, Algorithm::recursive_doubling,
     [](std::size_t n) { return vectors(n, log2_up(n), prefixes(n)); }},
    {Operation::scan, Algorithm::chain, up_tree},
    {Operation::exscan, Algorithm::recursive_doubling,
     [](std::size_t n) { return vectors(n, 1 + log2_up(n - 1), n - 1 + prefixes(n - 1)); }},
    {Operation::exscan, Algorithm::chain, up_tree},

    {Operation::gather, Algorithm::linear, to_root},
    {Operation::gather, Algorithm::binomial, subtrees_to_root},
    {Operation::gatherv, Algorithm::linear, to_root},
    {Operation::scatter, Algorithm::linear, from_root},
    {Operation::scatter, Algorithm::binomial, subtrees_from_root},
    {Operation::scatterv, Algorithm::linear, from_root},

    {Operation::allgather, Algorithm::pairwise, all_to_all},
    {Operation::allgather, Algorithm::recursive_doubling, doubling},
    {Operation::allgather, Algorithm::ring, all_to_all},
    {Operation::allgather, Algorithm::bruck, bruck},
    {Operation::allgather, Algorithm::bruck, bruck, block_of_large_vector},
    {Operation::allgatherv, Algorithm::pairwise, all_to_all},
    {Operation::allgatherv, Algorithm::recursive_doubling, doubling},
    {Operation::allgatherv, Algorithm::ring, all_to_all},
    {Operation::allgatherv, Algorithm::bruck, bruck},

    {Operation::alltoall, Algorithm::pairwise, all_to_all},
    {Operation::alltoall, Algorithm::pairwise, all_to_all, large_block}, // by chunks in lanes
    {Operation::alltoall, Algorithm::bruck, [](std::size_t n) { return each(n, log2_up(n), bits(n)); }},
    {Operation::alltoallv, Algorithm::pairwise, all_to_all},
    {Operation::alltoallw, Algorithm::pairwise, all_to_all},
};

/// The arguments of an operation among so many ranks, each of which has a block for every other.
class Arguments {
public:
  Arguments(std::size_t ranks, std::size_t elements_of_block)
      : block_(static_cast<int>(elements_of_block)), all_(static_cast<int>(ranks) * block_),
        given_(ranks * elements_of_block), got_(given_.size()), counts_(ranks, block_), displacements_(ranks),
        bytes_(ranks), types_(ranks, type) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      displacements_[rank] = static_cast<int>(rank) * block_;
      bytes_[rank] = displacements_[rank] * static_cast<int>(sizeof(Element));
    }
  }

  std::optional<int> call(Operation operation, team::Member& member, MPI_Comm comm) {
    const void* const given = given_.data();
    void* const got = got_.data();
    const int* const counts = counts_.data();
    const int* const at = displacements_.data();
    switch (operation) {
    case Operation::barrier:
      return barrier(member, comm);
    case Operation::bcast:
      return bcast(member, got, all_, type, 0, comm);
    case Operation::reduce:
      return reduce(member, given, got, all_, type, MPI_SUM, 0, comm);
    case Operation::allreduce:
      return allreduce(member, given, got, all_, type, MPI_SUM, comm);
    case Operation::reduce_scatter:
      return reduce_scatter(member, given, got, counts, type, MPI_SUM, comm);
    case Operation::reduce_scatter_block:
      return reduce_scatter_block(member, given, got, block_, type, MPI_SUM, comm);
    case Operation::scan:
      return scan(member, given, got, all_, type, MPI_SUM, comm);
    case Operation::exscan:
      return exscan(member, given, got, all_, type, MPI_SUM, comm);
    case Operation::gather:
      return gather(member, given, block_, type, got, block_, type, 0, comm);
    case Operation::gatherv:
      return gatherv(member, given, block_, type, got, counts, at, type, 0, comm);
    case Operation::scatter:
      return scatter(member, given, block_, type, got, block_, type, 0, comm);
    case Operation::scatterv:
      return scatterv(member, given, counts, at, type, got, block_, type, 0, comm);
    case Operation::allgather:
      return allgather(member, given, block_, type, got, block_, type, comm);
    case Operation::allgatherv:
      return allgatherv(member, given, block_, type, got, counts, at, type, comm);
    case Operation::alltoall:
      return alltoall(member, given, block_, type, got, block_, type, comm);
    case Operation::alltoallv:
      return alltoallv(member, given, counts, at, type, got, counts, at, type, comm);
    case Operation::alltoallw:
      return alltoallw(member, given, counts, bytes_.data(), types_.data(), got, counts, bytes_.data(),
                       types_.data(), comm);
    default:
      return std::nullopt;
    }
  }

private:
  static constexpr MPI_Datatype type = MPI_UINT64_T;

  int block_, all_; // elements
  std::vector<Element> given_, got_;
  std::vector<int> counts_, displacements_, bytes_;
  std::vector<MPI_Datatype> types_;
};

/// Takes the steps of all ranks, each of which does the operation by itself. If they are on nodes of several,
/// so many, they know it.
std::vector<model::Steps> steps_of(const Counted& row, std::size_t ranks, std::size_t of_node,
                                   team::Member& member) {
  std::vector<int> nodes(of_node > 1 ? ranks : 0);
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) nodes[rank] = static_cast<int>(rank / of_node);
  Arguments arguments(ranks, row.elements_of_block(ranks));
  std::vector<model::Steps> steps;
  for (int rank = 0; rank < static_cast<int>(ranks); ++rank) {
    test_support::LoneRank alone(rank, static_cast<int>(ranks), chunk,
                                 of_node > 1 ? ranks::Nodes::named(nodes, rank) : ranks::Nodes());
    REQUIRE(arguments.call(row.operation, member, alone.comm()) == MPI_SUCCESS);
    steps.push_back(alone.steps());
  }
  return steps;
}

/// Counts what the ranks send, before the simulator has them do it together.
Sent count(const Counted& row, std::size_t n, team::Member& member) {
  const std::size_t of_node = row.algorithm == Algorithm::two_level ? on_node : 1;
  const std::size_t ranks = n * of_node;
  std::vector<model::Steps> steps = steps_of(row, ranks, of_node, member);
  const model::ScheduledTime all = model::simulate(
      {[&](std::size_t rank) { return std::move(steps[rank]); }, ranks, 1, 1, 0}, model::Costs{});
  const auto block = static_cast<double>(row.elements_of_block(ranks) * sizeof(Element));
  return {all.messages, all.all_messages, static_cast<std::size_t>(all.bytes / block),
          static_cast<std::size_t>(all.all_bytes / block)};
}

/// Says how many blocks go from node to node, where each of `n` nodes has `r` ranks, which have a block each.
struct BetweenNodes {
  Operation operation;
  Algorithm algorithm;
  std::size_t (*formula)(std::size_t n, std::size_t r);
};

std::size_t one_pass(std::size_t n, std::size_t r) {
  return n * r * (n - 1);
}
std::size_t two_passes(std::size_t n, std::size_t r) {
  return 2 * one_pass(n, r);
}

const std::vector<BetweenNodes> between_nodes{
    {Operation::bcast, Algorithm::scatter_allgather,
     [](std::size_t n, std::size_t r) { return r * bits(n) + (n * r - 1) * (n - 1); }},
    {Operation::reduce, Algorithm::recursive_halving,
     [](std::size_t n, std::size_t r) { return one_pass(n, r) + r * bits(n); }},
    {Operation::allreduce, Algorithm::recursive_halving, two_passes},
    {Operation::allreduce, Algorithm::two_level, two_passes},
    {Operation::reduce_scatter, Algorithm::recursive_halving, one_pass},
    {Operation::reduce_scatter_block, Algorithm::recursive_halving, one_pass},
    {Operation::allgather, Algorithm::recursive_doubling, one_pass},
    {Operation::allgather, Algorithm::bruck, one_pass},
    {Operation::allgatherv, Algorithm::recursive_doubling, one_pass},
    {Operation::allgatherv, Algorithm::bruck, one_pass},
};

bool is_by_messages(Algorithm algorithm) {
  return algorithm != Algorithm::native && algorithm < Algorithm::shm_linear;
}

} // namespace

TEST_CASE("Every algorithm that goes by messages is counted") {
  for (std::size_t index = 0; index < static_cast<std::size_t>(Operation::operations); ++index) {
    for (const Row& row : built_in_rows(static_cast<Operation>(index))) {
      if (!is_by_messages(row.algorithm)) continue;
      CAPTURE(name(row.operation), name(row.algorithm));
      CHECK(std::ranges::any_of(table, [&](const Counted& counted) {
        return counted.operation == row.operation && counted.algorithm == row.algorithm;
      }));
    }
  }
}

TEST_CASE("Ranks send as many messages and bytes as the formulas say") {
  // Where all messages are the square of the ranks, larger numbers of them are left out, but the largest;
  // with AddressSanitizer, by which they take minutes, that, too.
#ifdef __SANITIZE_ADDRESS__
  constexpr std::size_t many = 20'000, most = many;
#else
  constexpr std::size_t many = 150'000, most = 1'100'000;
#endif
  std::vector<std::size_t> numbers(63);
  std::iota(numbers.begin(), numbers.end(), 2);
  numbers.insert(numbers.end(), {100, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1000, 1023, 1024});
  team::Team team(0, 1, team::Waiting{});
  team::Member& member = team.add();
  team.join(member, "JOIN");
  for (const Counted& row : table) {
    Overrides wanted{};
    wanted[static_cast<std::size_t>(row.operation)] = row.algorithm;
    set_overrides(wanted);
    for (const std::size_t n : numbers) {
      const Sent expected = row.formula(n);
      if (expected.all_messages > (n == numbers.back() ? most : many)) continue;
      CAPTURE(name(row.operation), name(row.algorithm), n);
      const Sent found = count(row, n, member);
      CHECK(found.messages == expected.messages);
      CHECK(found.all_messages == expected.all_messages);
      CHECK(found.blocks == expected.blocks);
      CHECK(found.all_blocks == expected.all_blocks);
    }
  }
  team.leave(member, "LEAVE");
}

TEST_CASE("A node sends other nodes no byte twice in a pass, however many ranks it has") {
  team::Team team(0, 1, team::Waiting{});
  team::Member& member = team.add();
  team.join(member, "JOIN");
  for (const BetweenNodes& row : between_nodes) {
    Overrides wanted{};
    wanted[static_cast<std::size_t>(row.operation)] = row.algorithm;
    set_overrides(wanted);
    for (const std::size_t n : {2U, 3U, 4U, 5U, 16U}) {
      for (const std::size_t r : {2U, 3U, 4U, 8U}) {
        CAPTURE(name(row.operation), name(row.algorithm), n, r);
        double bytes = 0;
        std::size_t rank = 0;
        for (const model::Steps& steps :
             steps_of({row.operation, row.algorithm, nullptr}, n * r, r, member)) {
          for (const model::Step& step : steps)
            if (step.to >= 0 && static_cast<std::size_t>(step.to) / r != rank / r) bytes += step.sends;
          ++rank;
        }
        CHECK(static_cast<std::size_t>(bytes / sizeof(Element)) == row.formula(n, r));
      }
    }
  }
  team.leave(member, "LEAVE");
}
