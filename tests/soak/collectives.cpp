// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <numeric>

#include "collective/move_cases.hpp"
#include "collective/reductions.hpp"
#include "hybrid/in_team.hpp"
#include "layout/random_type.hpp"
#include "soak/plan.hpp"

// Collective operations. Either all participants are in a phase or none. Operations with random arguments are
// always in a phase. Outside they would be native, and MPICH 4.0.2 fails with some arguments. reductions.hpp
// and move_cases.hpp show how it is the oracle anyway.

namespace soak {
namespace {

using namespace test_support;
using report::require;
using report::require_nothing;

constexpr int most_bytes = 1 << 18;

void reduction(Lane& lane, Draw& shared, Draw& own) {
  static const auto pairs = reductions::defined_pairs();
  const auto [op, type] = shared.of(pairs);
  const auto& operation = shared.of(reductions::operations);
  const reductions::Call call = reductions::draw_call(shared, lane.world, type, op, shared.bytes(most_bytes));
  require_nothing(reductions::difference([&](const auto& body) { lane.call(true, body); }, shared, own,
                                         operation, call, call, lane.world));
}

/// Reduces elements of a random type with a user-defined operation that does not commute.
void reduction_of_users(Lane& lane, Draw& shared, Draw& own) {
  const reductions::MatrixOperation multiplication(false);
  const int matrices = shared.of({1, 1, 3, 40});
  const Type type = reductions::draw_matrices(shared, shared.of(families()), matrices);
  const auto& operation = shared.of(reductions::operations);
  const reductions::Call call =
      reductions::draw_call(shared, lane.world, type, multiplication, shared.bytes(most_bytes));
  reductions::Call oracle = call;
  const Type dense = reductions::type_of_matrices(PMPI_Type_contiguous, 4 * matrices, MPI_UINT32_T);
  oracle.type = dense;
  require_nothing(reductions::difference([&](const auto& body) { lane.call(true, body); }, shared, own,
                                         operation, call, oracle, lane.world));
}

void move(Lane& lane, Draw& shared, Draw& own) {
  static const auto all = moves::operations();
  const auto& operation = shared.of(all);
  const moves::Shape shape = moves::draw_shape(operation, shared, lane.world);
  require_nothing(moves::difference([&](const auto& body) { lane.call(true, body); }, operation, shape, own));
}

/// Returns whether the type covers no byte twice, so that it can be used to receive.
bool can_be_received(const Built& built, int count) {
  Buffer touched(built.type, count);
  const std::vector<unsigned char> ones(built.size() * static_cast<std::size_t>(count), 1);
  int position = 0;
  PMPI_Unpack(ones.data(), static_cast<int>(ones.size()), &position, touched.address(), count, built.type,
              MPI_COMM_SELF);
  return std::ranges::count(touched.bytes, 1) == std::ssize(ones);
}

/// Broadcasts elements of a random type. All ranks draw what the root sends.
void bcast_of_any_type(Lane& lane, Draw& shared, Draw& own) {
  Random random(static_cast<std::uint64_t>(shared.upto(1 << 30)));
  const Built built = RandomTypes(random).type(shared.upto(3));
  const int count = 1 + shared.upto(shared.coin() ? 40 : 4);
  const int root = shared.upto(lane.ranks - 1);
  if (!can_be_received(built, count)) return;
  Buffer sent(built.type, count);
  shared.fill(sent.bytes);
  Buffer data = sent;
  if (lane.rank != root) own.fill(data.bytes);
  Buffer expected = data;
  std::vector<unsigned char> packed(built.size() * static_cast<std::size_t>(count));
  const auto bytes = static_cast<int>(packed.size());
  int position = 0;
  PMPI_Pack(sent.address(), count, built.type, packed.data(), bytes, &position, MPI_COMM_SELF);
  position = 0;
  PMPI_Unpack(packed.data(), bytes, &position, expected.address(), count, built.type, MPI_COMM_SELF);
  int code = MPI_ERR_OTHER;
  lane.call(true, [&] { code = MPI_Bcast(data.address(), count, built.type, root, lane.world); });
  require(code == MPI_SUCCESS && data.bytes == expected.bytes,
          fmt::format("a broadcast of {} elements of {}", count, built.text));
}

/// Operations whose results are known. They need no oracle, whose communication would synchronise the ranks.
void known(Lane& lane, Draw& shared, Draw& own) {
  for (int count = 1 + shared.upto(5); count != 0; --count) {
    const bool in_phase = shared.coin();
    Operation& operation =
        lane.operation(static_cast<std::size_t>(shared.upto(static_cast<int>(lane.operations()) - 1)));
    operation.fill(lane.world);
    int code = MPI_ERR_OTHER;
    lane.call(in_phase, [&] { code = operation(lane.world); });
    require(code == MPI_SUCCESS, std::string("an error of ") + operation.name);
    require(operation.right(lane.world), std::string("the result of ") + operation.name);
    if (own.coin()) lane.complete(false, own);
  }
}

/// Starts a non-blocking operation, which a later step completes.
void later(Lane& lane, Draw& shared, Draw& own) {
  const auto count = static_cast<std::size_t>(shared.bytes(40'000) / 4);
  const int root = shared.upto(lane.ranks - 1);
  const int which = shared.upto(3);
  Later& begun = lane.later.emplace_back();
  begun.in.assign(count, lane.rank + 1);
  begun.out.assign(count, lane.rank + 1);
  begun.expected.assign(count, lane.ranks * (lane.ranks + 1) / 2);
  lane.call(own.coin(), [&] {
    const auto ints = static_cast<int>(count);
    if (which == 0) {
      MPI_Ibarrier(lane.world, &begun.request);
      begun.expected = begun.out;
    } else if (which == 1) {
      MPI_Ibcast(begun.out.data(), ints, MPI_INT, root, lane.world, &begun.request);
      begun.expected.assign(count, root + 1);
    } else if (which == 2) {
      MPI_Iallreduce(MPI_IN_PLACE, begun.out.data(), ints, MPI_INT, MPI_SUM, lane.world, &begun.request);
    } else {
      MPI_Iallreduce(begun.in.data(), begun.out.data(), ints, MPI_INT, MPI_SUM, lane.world, &begun.request);
    }
  });
}

/// Makes a hybrid operation. All members of the teams of all ranks take part.
void hybrid(Lane& lane, Draw& shared, Draw& own) {
  const int members = 1 + own.upto(2);
  const auto count = static_cast<std::size_t>(1 + shared.upto(5000));
  const bool reduces = shared.coin();
  const int root = shared.upto(lane.ranks - 1);
  std::vector<std::vector<int>> data(static_cast<std::size_t>(members),
                                     std::vector<int>(count, lane.rank + 1));
  std::vector<int> codes(data.size(), MPI_ERR_OTHER);
  in_team(
      members, 0,
      [&](int member, MPI_Helper_team team) {
        std::vector<int>& mine = data[static_cast<std::size_t>(member)];
        const auto ints = static_cast<int>(count);
        int& code = codes[static_cast<std::size_t>(member)];
        code = reduces ? MPIX_Helper_allreduce(team, MPI_IN_PLACE, mine.data(), ints, MPI_INT, MPI_MAX,
                                               lane.world)
                       : MPIX_Helper_bcast(team, mine.data(), ints, MPI_INT, root, lane.world);
      },
      1000 + lane.number);
  const std::vector<int> expected(count, reduces ? lane.ranks : root + 1);
  for (std::size_t member = 0; member < data.size(); ++member) {
    require(codes[member] == MPI_SUCCESS, "an error of a hybrid operation");
    require(data[member] == expected, "the result of a hybrid operation");
  }
}

} // namespace

std::vector<Kind> collectives() {
  return {{"reduction", 4, reduction, true}, {"reduction by a user's operation", 2, reduction_of_users, true},
          {"move", 4, move, true},           {"broadcast of any type", 3, bcast_of_any_type},
          {"known collectives", 5, known},   {"hybrid operation", 2, hybrid}};
}

std::vector<Kind> nonblocking_collectives() {
  return {{"non-blocking collective", 3, later}};
}

} // namespace soak
