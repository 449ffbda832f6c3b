// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Compares the messages of each algorithm with its schedule. The library itself takes the steps of each rank.
// Then the ranks exchange the messages in the simulator.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "collective/collective.hpp"
#include "collective/scheduled.hpp"
#include "collective/selection.hpp"
#include "lone_rank.hpp"
#include "model/scheduled.hpp"
#include "support/catch.hpp"
#include "team/team.hpp"

using namespace helper;
using namespace helper::collective;

namespace {

/// Returns how many bits are set in the numbers 0 to n - 1 together.
std::size_t bits(std::size_t n) {
  std::size_t all = 0;
  for (std::size_t number = 0; number < n; ++number) all += static_cast<std::size_t>(std::popcount(number));
  return all;
}

constexpr std::size_t on_node = 3; // ranks in two_level

/// Large enough for all data to be one chunk.
constexpr std::size_t chunk = std::size_t{64} * 1024 * 1024;

using Element = std::uint64_t;

/// The following functions return how many elements a rank has for another one, among `n` ranks. Small
/// messages take other algorithms. So the large blocks are just large enough for theirs, because all pairs of
/// 1,024 ranks exchange them.
std::size_t one_element(std::size_t /*n*/) {
  return 1;
}
std::size_t large_block(std::size_t /*n*/) {
  return short_most / sizeof(Element) + 1;
}
std::size_t block_of_large_vector(std::size_t n) {
  return short_most / sizeof(Element) / n + 1;
}

struct Called {
  Operation operation;
  Algorithm algorithm;
  std::size_t (*elements_of_block)(std::size_t n) = one_element;
};

/// Operations whose algorithms for large messages differ from those for small ones.
const std::vector<Called> with_more_data{
    {Operation::reduce_scatter, Algorithm::recursive_halving, block_of_large_vector},
    {Operation::reduce_scatter_block, Algorithm::recursive_halving, block_of_large_vector},
    {Operation::allgather, Algorithm::bruck, block_of_large_vector},
    {Operation::alltoall, Algorithm::pairwise, large_block}, // in chunks and lanes
};

std::vector<Called> all_calls() {
  std::vector<Called> all = with_more_data;
  for (std::size_t index = 0; index < static_cast<std::size_t>(Operation::operations); ++index) {
    for (const Row& row : built_in_rows(static_cast<Operation>(index))) {
      const bool is_new = std::ranges::none_of(all, [&](const Called& called) {
        return called.operation == row.operation && called.algorithm == row.algorithm &&
               called.elements_of_block == one_element;
      });
      if (is_scheduled(row.operation, row.algorithm) && is_new) all.push_back({row.operation, row.algorithm});
    }
  }
  return all;
}

/// The arguments of an operation among `ranks` ranks. Each rank has a block for every rank.
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

  int block_, all_; // in elements
  std::vector<Element> given_, got_;
  std::vector<int> counts_, displacements_, bytes_;
  std::vector<MPI_Datatype> types_;
};

/// Lets each rank perform the operation alone. Returns the steps of all ranks. If `of_node` is not 1, the
/// ranks know that they are on nodes of `of_node` ranks.
std::vector<model::Steps> steps_of(const Called& row, std::size_t ranks, std::size_t of_node,
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

/// Returns the steps of each rank according to the schedule.
std::vector<model::Steps> scheduled(const Called& row, std::size_t ranks, std::size_t of_node) {
  const std::size_t block = row.elements_of_block(ranks) * sizeof(Element);
  const bool is_of_pairs = is_alltoall(row.operation) || is_gather(row.operation) ||
                           row.operation == Operation::scatter || row.operation == Operation::scatterv;
  const std::size_t all = row.operation == Operation::barrier ? 0 : block * ranks;
  Situation situation{is_of_pairs ? block : all, static_cast<int>(ranks)};
  situation.nodes = static_cast<int>(ranks / of_node);
  situation.most_on_node = situation.fewest_on_node = static_cast<int>(of_node);
  std::vector<model::Steps> steps;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    steps.push_back(model::steps_of(schedule_of(row.operation, row.algorithm, situation, rank),
                                    static_cast<double>(all)));
  return steps;
}

/// Returns the messages of the steps, sorted, so that the order of the steps does not matter.
std::vector<std::array<std::int64_t, 4>> sorted(const model::Steps& steps) {
  std::vector<std::array<std::int64_t, 4>> all;
  for (const model::Step& step : steps)
    all.push_back({step.to, std::llround(step.sends), step.from, std::llround(step.takes)});
  std::ranges::sort(all);
  return all;
}

/// An algorithm, and how many blocks it sends between `n` nodes of `r` ranks, if each rank has a block.
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

} // namespace

TEST_CASE("The library sends and takes what schedules say, and all of it fits together") {
  // If an algorithm takes as many messages as the square of the ranks, only the largest of the large numbers
  // of ranks is tested. AddressSanitizer would take minutes for the largest, so it is left out as well.
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
  for (const Called& row : all_calls()) {
    Overrides wanted{};
    wanted[static_cast<std::size_t>(row.operation)] = row.algorithm;
    set_overrides(wanted);
    const std::size_t of_node = row.algorithm == Algorithm::two_level ? on_node : 1;
    for (const std::size_t n : numbers) {
      const std::size_t ranks = n * of_node;
      const std::size_t steps = schedule_of(row.operation, row.algorithm, 1, ranks, 0, n).steps().size();
      if (ranks * steps > (n == numbers.back() ? most : many)) continue;
      CAPTURE(name(row.operation), name(row.algorithm), n);
      const std::vector<model::Steps> expected = scheduled(row, ranks, of_node);
      const std::vector<model::Steps> found = steps_of(row, ranks, of_node, member);
      CHECK(std::ranges::equal(found, expected, {}, sorted, sorted));
      CHECK_NOTHROW(model::simulate({[&](std::size_t rank) { return found[rank]; }, ranks, 1, 1, 0}, {}));
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
        for (const model::Steps& steps : steps_of({row.operation, row.algorithm}, n * r, r, member)) {
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
