// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests operations with schedules. The ranks are threads, and messages arrive in any order. Also checks the
// number of messages.

#include <mpi.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <thread>
#include <vector>

#include "collective/algorithms.hpp"
#include "collective/moves.hpp"
#include "collective/scheduled.hpp"
#include "support/catch.hpp"
#include "support/draw.hpp"
#include "support/seed.hpp"
#include "support/thread_ranks.hpp"

using namespace helper;
using namespace helper::collective;
using pipeline::Stream;
using namespace test_support;

namespace {

using Numbers = std::vector<unsigned>; // sums of integers do not depend on the order

Stream stream_of(Numbers& numbers, std::size_t size) {
  return {numbers.data(), size * sizeof(unsigned)};
}

std::vector<Numbers> draw_numbers(std::size_t ranks, std::size_t size, Draw& draw) {
  std::vector<Numbers> all(ranks, Numbers(size));
  for (Numbers& of_rank : all)
    for (unsigned& number : of_rank) number = static_cast<unsigned>(draw.upto(1 << 30));
  return all;
}

Numbers sums(const std::vector<Numbers>& given) {
  Numbers sum(given.front().size());
  for (const Numbers& of_rank : given)
    std::ranges::transform(sum, of_rank, sum.begin(), [](unsigned x, unsigned y) { return x + y; });
  return sum;
}

Reduction sum_of(const transport::Shadow& shadow, team::Member& member) {
  return {"test", member, *reduction::Reducer::of(MPI_SUM, MPI_UNSIGNED), shadow, true};
}

/// Draws the node of each rank: nodes have consecutive ranks, cyclic ranks, or any. Half of the time they
/// have equally many ranks.
std::vector<int> draw_nodes(std::size_t ranks, Draw& draw) {
  std::size_t nodes = 0;
  const bool are_even = draw.coin();
  do nodes = static_cast<std::size_t>(1 + draw.upto(static_cast<int>(ranks) - 1));
  while (are_even && ranks % nodes != 0);
  std::vector<int> node_of_rank;
  for (std::size_t rank = 0; rank < ranks; ++rank) node_of_rank.push_back(static_cast<int>(rank % nodes));
  if (draw.coin()) std::ranges::sort(node_of_rank);
  if (draw.coin()) draw.shuffle(node_of_rank);
  return node_of_rank;
}

Algorithm draw_algorithm(Draw& draw) {
  return draw.of({Algorithm::recursive_halving, Algorithm::recursive_halving, Algorithm::ring});
}

std::size_t draw_elements(Draw& draw) {
  return static_cast<std::size_t>(1 + draw.upto(draw.of({20, 3'000, 60'000})));
}

/// Draws the number of elements of a chunk. Few ranks may have many chunks. Many ranks have few chunks,
/// because each message takes long on a machine with few cores.
std::size_t draw_most(std::size_t elements, std::size_t ranks, Draw& draw) {
  return elements / static_cast<std::size_t>(1 + draw.upto(ranks <= 5 ? 20 : 4)) + 1;
}

void check_allreduce(const std::vector<int>& nodes, std::size_t elements, std::size_t most,
                     Algorithm algorithm, bool in_place, Draw& draw) {
  const std::size_t ranks = nodes.size();
  CAPTURE(test_support::seed(), nodes, elements, most, name(algorithm), in_place);
  std::vector<Numbers> given = draw_numbers(ranks, elements, draw);
  const Numbers expected = sums(given);
  std::vector<Numbers> got(ranks, Numbers(elements));
  ThreadRanks all(nodes, 1, draw);
  all.run([&](const transport::Shadow& shadow, team::Member& member) {
    const Reduction reduction = sum_of(shadow, member);
    const std::size_t rank = reduction.rank();
    const Shares shares = Shares::even(elements, ranks);
    const Stream to = stream_of(in_place ? given[rank] : got[rank], elements);
    reduce_by_schedule(reduction, stream_of(given[rank], elements),
                       Pieces::consecutive(shares, sizeof(unsigned), most), Results::to_all(to),
                       schedule_of(Operation::allreduce, algorithm, shadow));
  });
  CHECK(std::ranges::all_of(in_place ? given : got, [&](const Numbers& sum) { return sum == expected; }));
  CHECK(all.are_quiet());
}

} // namespace

TEST_CASE("An allreduce by a schedule") {
  Draw draw(test_support::seed());
  for (std::size_t ranks = 2; ranks <= 17; ++ranks) {
    const std::size_t elements = draw_elements(draw);
    const std::size_t most = draw_most(elements, ranks, draw);
    check_allreduce(draw_nodes(ranks, draw), elements, most, draw_algorithm(draw), draw.coin(), draw);
  }
}

// Here the blocks of a rank may wrap around the end, and are large enough to be shared among members.
TEST_CASE("An allreduce of large blocks, on nodes of three ranks") {
  Draw draw(test_support::seed());
  for (const std::vector<int>& nodes :
       {std::vector{0, 0, 0, 1, 1, 1}, std::vector{0, 1, 2, 0, 1, 2, 0, 1, 2}})
    check_allreduce(nodes, 120'000, 120'000, Algorithm::recursive_halving, false, draw);
}

TEST_CASE("An allreduce sends twice log2 of the ranks messages for each chunk") {
  Draw draw(test_support::seed());
  for (const std::size_t ranks : {2U, 4U, 8U, 16U}) {
    const std::size_t chunks = 3;
    const std::size_t elements = ranks * chunks;
    std::vector<Numbers> given = draw_numbers(ranks, elements, draw);
    std::vector<Numbers> got(ranks, Numbers(elements));
    ThreadRanks all(static_cast<int>(ranks), 1, draw);
    all.run([&](const transport::Shadow& shadow, team::Member& member) {
      const Reduction reduction = sum_of(shadow, member);
      const std::size_t rank = reduction.rank();
      const Shares shares = Shares::even(elements, ranks);
      const Stream to = stream_of(got[rank], elements);
      reduce_by_schedule(reduction, stream_of(given[rank], elements),
                         Pieces::consecutive(shares, sizeof(unsigned), ranks), Results::to_all(to),
                         schedule_of(Operation::allreduce, Algorithm::recursive_halving, rank, ranks));
    });
    CAPTURE(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank)
      CHECK(all.sent(rank) == chunks * 2 * static_cast<std::size_t>(std::countr_zero(ranks)));
  }
}

TEST_CASE("An allreduce within nodes, then between them") {
  Draw draw(test_support::seed());
  for (std::size_t ranks = 2; ranks <= 17; ++ranks) {
    for (int trial = 0; trial < 3; ++trial) {
      const std::size_t elements = draw_elements(draw);
      const std::vector<int> nodes = draw_nodes(ranks, draw);
      const auto chunk = static_cast<std::size_t>(1 + draw.upto(100'000));
      const bool in_place = draw.coin();
      CAPTURE(test_support::seed(), nodes, elements, chunk, in_place);
      std::vector<Numbers> given = draw_numbers(ranks, elements, draw);
      const Numbers expected = sums(given);
      std::vector<Numbers> got(ranks, Numbers(elements));
      ThreadRanks all(nodes, chunk, draw);
      all.run([&](const transport::Shadow& shadow, team::Member& member) {
        const Reduction reduction = sum_of(shadow, member);
        const std::size_t rank = reduction.rank();
        const Stream to = stream_of(in_place ? given[rank] : got[rank], elements);
        reduce_by_schedule(Operation::allreduce, Algorithm::two_level, reduction,
                           stream_of(given[rank], elements), Results::to_all(to));
      });
      CHECK(std::ranges::all_of(in_place ? given : got, [&](const Numbers& sum) { return sum == expected; }));
      CHECK(all.are_quiet());
    }
  }
}

TEST_CASE("A thread does not use the schedule that it has cached for ranks on other nodes") {
  Draw draw(test_support::seed());
  const ranks::RankMap peers(std::vector<int>{0, 1, 2, 3});
  std::vector<int> nodes{0, 0, 1, 1};
  for (int time = 0; time < 100; ++time) {
    draw.shuffle(nodes);
    const transport::Shadow shadow(transport::Agreement{
        .rank = 0, .size = 4, .peers = peers, .chunk = 1, .nodes = ranks::Nodes::named(nodes, 0)});
    const auto partners = [&] {
      std::vector<std::size_t> all;
      for (const ScheduleStep& step : schedule_of(Operation::allreduce, Algorithm::two_level, shadow).steps())
        all.insert(all.end(), {step.to, step.from});
      return all;
    };
    std::vector<std::size_t> of_new_thread;
    std::thread([&] { of_new_thread = partners(); }).join();
    CAPTURE(test_support::seed(), nodes);
    CHECK(partners() == of_new_thread);
  }
}

TEST_CASE("A reduce by a schedule") {
  Draw draw(test_support::seed());
  for (std::size_t ranks = 2; ranks <= 17; ++ranks) {
    const std::size_t elements = draw_elements(draw);
    const std::size_t most = draw_most(elements, ranks, draw);
    const auto root = static_cast<std::size_t>(draw.upto(static_cast<int>(ranks) - 1));
    const std::vector<int> nodes = draw_nodes(ranks, draw);
    CAPTURE(test_support::seed(), nodes, elements, most, root);
    std::vector<Numbers> given = draw_numbers(ranks, elements, draw);
    const std::vector<Numbers> kept = given;
    Numbers got(elements);
    ThreadRanks all(nodes, 1, draw);
    all.run([&](const transport::Shadow& shadow, team::Member& member) {
      const Reduction reduction = sum_of(shadow, member);
      const std::size_t rank = reduction.rank();
      const Shares shares = Shares::even(elements, ranks);
      const Stream to = stream_of(got, elements);
      reduce_by_schedule(
          reduction, stream_of(given[rank], elements), Pieces::consecutive(shares, sizeof(unsigned), most),
          Results::to_root(rank == root ? &to : nullptr),
          schedule_of(Operation::reduce, Algorithm::recursive_halving, shadow, static_cast<int>(root)));
    });
    CHECK(got == sums(kept));
    CHECK(given == kept);
    CHECK(all.are_quiet());
  }
}

TEST_CASE("A reduce-scatter by a schedule, of shares of any sizes") {
  Draw draw(test_support::seed());
  for (std::size_t ranks = 2; ranks <= 17; ++ranks) {
    const int largest = draw.of({2, 100, 4'000});
    const Shares shares(ranks, [&](std::size_t) { return static_cast<std::size_t>(draw.upto(largest)); });
    if (shares.total() == 0) continue;
    const std::size_t most = draw_most(shares.largest(), ranks, draw);
    const Algorithm algorithm = draw_algorithm(draw);
    const bool in_place = draw.coin();
    const std::vector<int> nodes = draw_nodes(ranks, draw);
    CAPTURE(test_support::seed(), nodes, shares.total(), most, name(algorithm), in_place);
    std::vector<Numbers> given = draw_numbers(ranks, shares.total(), draw);
    const Numbers expected = sums(given);
    std::vector<Numbers> got(ranks);
    ThreadRanks all(nodes, 1, draw);
    all.run([&](const transport::Shadow& shadow, team::Member& member) {
      const Reduction reduction = sum_of(shadow, member);
      const std::size_t rank = reduction.rank();
      const RankOrder order(Operation::reduce_scatter, algorithm, shadow);
      got[rank].resize(shares.size(rank));
      const Stream to = stream_of(in_place ? given[rank] : got[rank], shares.size(rank));
      reduce_by_schedule(reduction, stream_of(given[rank], shares.total()),
                         Pieces(shares, sizeof(unsigned), most, &order), Results::to_owners(&to, in_place),
                         schedule_of(Operation::reduce_scatter, algorithm, shadow));
      if (in_place) std::copy_n(given[rank].begin(), shares.size(rank), got[rank].begin());
    });
    for (std::size_t rank = 0; rank < ranks; ++rank)
      CHECK(std::equal(got[rank].begin(), got[rank].end(),
                       expected.begin() + static_cast<std::ptrdiff_t>(shares.begin(rank))));
    CHECK(all.are_quiet());
  }
}

TEST_CASE("A broadcast by a schedule") {
  Draw draw(test_support::seed());
  for (std::size_t ranks = 2; ranks <= 17; ++ranks) {
    const std::size_t elements = draw_elements(draw);
    const auto root = draw.upto(static_cast<int>(ranks) - 1);
    const std::vector<int> nodes = draw_nodes(ranks, draw);
    const Algorithm algorithm =
        draw.of({Algorithm::scatter_allgather, Algorithm::pipelined_tree, Algorithm::chain});
    CAPTURE(test_support::seed(), nodes, elements, root, name(algorithm));
    const Numbers sent = draw_numbers(1, elements, draw).front();
    std::vector<Numbers> got(ranks, Numbers(elements));
    got[static_cast<std::size_t>(root)] = sent;
    ThreadRanks all(nodes, static_cast<std::size_t>(1 + draw.upto(50'000)), draw);
    all.run([&](const transport::Shadow& shadow, team::Member& member) {
      bcast_by_schedule(member, shadow, stream_of(got[static_cast<std::size_t>(shadow.rank())], elements),
                        root, algorithm);
    });
    CHECK(std::ranges::all_of(got, [&](const Numbers& numbers) { return numbers == sent; }));
    CHECK(all.are_quiet());
  }
}

namespace {

using Bytes = std::vector<unsigned char>;

/// Returns the part of each rank in `bytes`, in the order of ranks.
std::vector<Part> parts_of(Bytes& bytes, std::size_t ranks) {
  const std::size_t each = bytes.size() / ranks;
  std::vector<Part> parts;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    parts.push_back(
        {bytes.data(), static_cast<MPI_Aint>(rank * each), static_cast<MPI_Count>(each), MPI_BYTE, each});
  return parts;
}

std::vector<Bytes> draw_bytes(std::size_t ranks, std::size_t size, Draw& draw) {
  std::vector<Bytes> all(ranks, Bytes(size));
  for (Bytes& of_rank : all)
    for (unsigned char& byte : of_rank) byte = static_cast<unsigned char>(draw.upto(255));
  return all;
}

} // namespace

TEST_CASE("An allgather by Bruck, recursive doubling and a ring, of up to 32 ranks") {
  Draw draw(test_support::seed());
  for (const std::size_t ranks : {2U, 3U, 5U, 8U, 13U, 32U}) {
    const auto each = static_cast<std::size_t>(1 + draw.upto(draw.of({20, 3'000})));
    const Algorithm algorithm =
        draw.of({Algorithm::bruck, Algorithm::bruck, Algorithm::recursive_doubling, Algorithm::ring});
    const std::vector<int> nodes = draw_nodes(ranks, draw);
    CAPTURE(test_support::seed(), nodes, each, name(algorithm));
    const Bytes sent = draw_bytes(1, ranks * each, draw).front();
    std::vector<Bytes> got(ranks, Bytes(sent.size()));
    ThreadRanks all(nodes, static_cast<std::size_t>(1 + draw.upto(50'000)), draw);
    all.run([&](const transport::Shadow& shadow, team::Member& member) {
      const auto rank = static_cast<std::size_t>(shadow.rank());
      const auto own = static_cast<std::ptrdiff_t>(rank * each);
      std::copy_n(sent.begin() + own, each, got[rank].begin() + own);
      allgather_by_schedule({Operation::allgather, "test", {}, parts_of(got[rank], ranks)}, algorithm, member,
                            shadow);
    });
    CHECK(std::ranges::all_of(got, [&](const Bytes& bytes) { return bytes == sent; }));
    CHECK(all.are_quiet());
  }
}

TEST_CASE("A gather and a scatter along a binomial tree, of up to 32 ranks") {
  Draw draw(test_support::seed());
  for (const std::size_t ranks : {1U, 2U, 3U, 5U, 8U, 13U, 32U}) {
    for (const Operation operation : {Operation::gather, Operation::scatter}) {
      const auto each = static_cast<std::size_t>(draw.upto(draw.of({20, 3'000})));
      const auto root = static_cast<std::size_t>(draw.upto(static_cast<int>(ranks) - 1));
      CAPTURE(test_support::seed(), ranks, name(operation), each, root);
      const bool gathers = operation == Operation::gather;
      std::vector<Bytes> own = draw_bytes(ranks, each, draw); // by rank
      Bytes all_of_root = draw_bytes(1, ranks * each, draw).front();
      std::copy_n(own[root].begin(), each, all_of_root.begin() + static_cast<std::ptrdiff_t>(root * each));
      Bytes expected;
      for (const Bytes& bytes : own) expected.insert(expected.end(), bytes.begin(), bytes.end());
      if (!gathers) expected = all_of_root;
      ThreadRanks all(static_cast<int>(ranks), static_cast<std::size_t>(1 + draw.upto(50'000)), draw);
      all.run([&](const transport::Shadow& shadow, team::Member& member) {
        const auto rank = static_cast<std::size_t>(shadow.rank());
        std::vector<Part> blocks(ranks), mine(ranks);
        if (rank == root) blocks = parts_of(all_of_root, ranks);
        mine[root] = parts_of(own[rank], 1).front();
        Moves moves{operation, "test", gathers ? mine : blocks, gathers ? blocks : mine};
        moves.root = static_cast<int>(root);
        move_along_tree(moves, Algorithm::binomial, member, shadow);
      });
      Bytes got;
      for (const Bytes& bytes : own) got.insert(got.end(), bytes.begin(), bytes.end());
      CHECK((gathers ? all_of_root : got) == expected);
      CHECK(all.are_quiet());
    }
  }
}

TEST_CASE("An alltoall by Bruck, of up to 32 ranks") {
  Draw draw(test_support::seed());
  for (const std::size_t ranks : {2U, 3U, 5U, 8U, 13U, 32U}) {
    const auto each = static_cast<std::size_t>(1 + draw.upto(draw.of({20, 3'000})));
    const bool in_place = draw.coin();
    CAPTURE(test_support::seed(), ranks, each, in_place);
    const std::vector<Bytes> sent = draw_bytes(ranks, ranks * each, draw);
    std::vector<Bytes> given = sent;
    std::vector<Bytes> got = in_place ? sent : std::vector<Bytes>(ranks, Bytes(ranks * each));
    ThreadRanks all(static_cast<int>(ranks), static_cast<std::size_t>(1 + draw.upto(50'000)), draw);
    all.run([&](const transport::Shadow& shadow, team::Member& member) {
      const auto rank = static_cast<std::size_t>(shadow.rank());
      alltoall_bruck({Operation::alltoall, "test", parts_of(in_place ? got[rank] : given[rank], ranks),
                      parts_of(got[rank], ranks), in_place},
                     member, shadow);
    });
    bool is_right = true;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      for (std::size_t from = 0; from < ranks; ++from)
        if (from != rank)
          is_right =
              is_right && std::equal(got[rank].begin() + static_cast<std::ptrdiff_t>(from * each),
                                     got[rank].begin() + static_cast<std::ptrdiff_t>((from + 1) * each),
                                     sent[from].begin() + static_cast<std::ptrdiff_t>(rank * each));
    CHECK(is_right);
    CHECK(all.are_quiet());
  }
}
