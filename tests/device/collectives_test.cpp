// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests collective operations on buffers that the CPU cannot touch, among ranks whose buffers it can touch.

#include <mpi_helper.h>

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>

#include "device/cases.hpp"
#include "hybrid/in_team.hpp"
#include "layout/type.hpp"
#include "support/catch.hpp"

using namespace test_support;

TEST_CASE("broadcasts") {
  in_phase([](const Case& of) {
    for (const int root : {0, ranks() - 1}) {
      Memory data(rank() == root ? of.from : of.to, of.numbers());
      if (rank() == root) data.set(own_number);
      CHECK(MPI_Bcast(data.at(), of.count, MPI_LONG, root, MPI_COMM_WORLD) == MPI_SUCCESS);
      CHECK(data.has([root](std::size_t i) { return number(root, i); }));
    }
  });
}

TEST_CASE("reductions to one, and to all") {
  in_phase([](const Case& of) {
    const int last = ranks() - 1;
    Memory from(of.from, of.numbers()), to(of.to, of.numbers());
    from.set(own_number);
    CHECK(MPI_Allreduce(from.at(), to.at(), of.count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(to.has(sum_to(last)));
    to.set(own_number);
    CHECK(MPI_Allreduce(MPI_IN_PLACE, to.at(), of.count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(to.has(sum_to(last)));
    CHECK(MPI_Reduce(from.at(), to.at(), of.count, MPI_LONG, MPI_MAX, last, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(to.has(rank() == last ? own_number : sum_to(last)));
    CHECK(from.has(own_number));
  });
}

TEST_CASE("scans and reductions whose results are scattered") {
  in_phase([](const Case& of) {
    Memory from(of.from, of.numbers()), to(of.to, of.numbers());
    from.set(own_number);
    CHECK(MPI_Scan(from.at(), to.at(), of.count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(to.has(sum_to(rank())));
    CHECK(MPI_Exscan(from.at(), to.at(), of.count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(to.has(sum_to(std::max(rank() - 1, 0)))); // rank 0 still has the result of MPI_Scan
    Memory all(of.from, of.numbers() * static_cast<std::size_t>(ranks()));
    all.set(own_number);
    CHECK(MPI_Reduce_scatter_block(all.at(), to.at(), of.count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    const std::size_t first = of.numbers() * static_cast<std::size_t>(rank());
    CHECK(to.has([&](std::size_t i) { return sum_to(ranks() - 1)(first + i); }));
  });
}

TEST_CASE("reductions by functions of the user's, of numbers with gaps") {
  const Type with_gap(PMPI_Type_create_resized, MPI_LONG, MPI_Aint{0}, MPI_Aint{2 * sizeof(long)});
  const auto sum = [](std::size_t i) { return i % 2 == 0 ? sum_to(ranks() - 1)(i) : -1; };
  MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
  REQUIRE(MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &group) == MPI_SUCCESS);
  for (const int commutes : {0, 1}) {
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(
        [](void* in, void* in_out, int* count, MPI_Datatype*) {
          for (int i = 0; i < 2 * *count; i += 2) static_cast<long*>(in_out)[i] += static_cast<long*>(in)[i];
        },
        commutes, &op);
    in_phase([&](const Case& of) {
      Memory from(of.from, 2 * of.numbers()), to(of.to, 2 * of.numbers());
      from.set(own_number);
      const int code = commutes == 0
                           ? MPI_Allreduce(from.at(), to.at(), of.count, with_gap, op, MPI_COMM_WORLD)
                           : MPIX_Sysgroup_allreduce(from.at(), to.at(), of.count, with_gap, op, group);
      CHECK(code == MPI_SUCCESS);
      CHECK(to.has(sum));
    });
    MPI_Op_free(&op);
  }
  MPIX_Sysgroup_free(&group);
}

TEST_CASE("what moves between ranks") {
  in_phase([](const Case& of) {
    const std::size_t count = of.numbers();
    const std::size_t mine = count * static_cast<std::size_t>(rank());
    const std::size_t everybodys = count * static_cast<std::size_t>(ranks());
    const auto of_sender = [&](std::size_t i) { return number(static_cast<int>(i / count), i % count); };
    Memory one(of.from, count), all(of.to, everybodys);
    one.set(own_number);
    CHECK(MPI_Allgather(one.at(), of.count, MPI_LONG, all.at(), of.count, MPI_LONG, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    CHECK(all.has(of_sender));
    all.set([&](std::size_t i) { return i / count == static_cast<std::size_t>(rank()) ? of_sender(i) : 0; });
    CHECK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_LONG, all.at(), of.count, MPI_LONG, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    CHECK(all.has(of_sender));
    all.set([](std::size_t) { return 0; });
    CHECK(MPI_Gather(one.at(), of.count, MPI_LONG, all.at(), of.count, MPI_LONG, 0, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    if (rank() == 0) CHECK(all.has(of_sender));

    Memory parts(of.from, everybodys), part(of.to, count);
    parts.set(own_number);
    CHECK(MPI_Scatter(parts.at(), of.count, MPI_LONG, part.at(), of.count, MPI_LONG, 0, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    CHECK(part.has([&](std::size_t i) { return number(0, mine + i); }));
    const auto to_this = [&](std::size_t i) { return number(static_cast<int>(i / count), mine + i % count); };
    CHECK(MPI_Alltoall(parts.at(), of.count, MPI_LONG, all.at(), of.count, MPI_LONG, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    CHECK(all.has(to_this));
    CHECK(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_LONG, parts.at(), of.count, MPI_LONG, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    CHECK(parts.has(to_this));
  });
}

TEST_CASE("absolute addresses, from MPI_BOTTOM, in one memory and in two") {
  in_phase([](const Case& of) {
    Memory one(of.from, of.numbers()), other(of.to, of.numbers());
    std::array<MPI_Aint, 2> addresses{};
    PMPI_Get_address(one.at(), &addresses[0]);
    PMPI_Get_address(other.at(), &addresses[1]);
    const std::array lengths{of.count, of.count};
    for (const int blocks : {1, 2}) {
      const Type type(PMPI_Type_create_hindexed, blocks, lengths.data(), addresses.data(), MPI_LONG);
      const auto wanted = [blocks](std::size_t i) { return number(blocks, i); };
      if (rank() == 0) one.set(wanted);
      if (rank() == 0) other.set(wanted);
      CHECK(MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
      CHECK(one.has(wanted));
      if (blocks == 2) CHECK(other.has(wanted));
    }
  });
}

TEST_CASE("hybrid operations") {
  constexpr int members = 2;
  for (const Case& of : cases()) {
    std::deque<Memory> from, to;
    for (int member = 0; member < members; ++member) {
      from.emplace_back(member == 0 ? of.from : of.to, of.numbers()).set(own_number);
      to.emplace_back(member == 0 ? of.to : of.from, of.numbers());
    }
    std::array<int, members> codes{};
    const auto in_all = [&](const auto& call) {
      in_team(members, 0, [&](int index, MPI_Helper_team team) {
        const auto member = static_cast<std::size_t>(index);
        codes[member] = call(team, from[member].at(), to[member].at());
      });
      CHECK(codes == std::array<int, members>{MPI_SUCCESS, MPI_SUCCESS});
    };
    in_all([&](MPI_Helper_team team, const long* in, long* out) {
      return MPIX_Helper_allreduce(team, in, out, of.count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    });
    for (const Memory& each : to)
      CHECK(each.has([](std::size_t i) { return members * sum_to(ranks() - 1)(i); }));
    in_all([&](MPI_Helper_team team, long* data, const long*) {
      return MPIX_Helper_bcast(team, data, of.count, MPI_LONG, 0, MPI_COMM_WORLD);
    });
    for (const Memory& each : from) CHECK(each.has([](std::size_t i) { return number(0, i); }));
  }
}

TEST_CASE("system-ranked groups") {
  MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
  REQUIRE(MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &group) == MPI_SUCCESS);
  for (const Case& of : cases()) {
    Memory from(of.from, of.numbers()), to(of.to, of.numbers());
    from.set(own_number);
    CHECK(MPIX_Sysgroup_allreduce(from.at(), to.at(), of.count, MPI_LONG, MPI_SUM, group) == MPI_SUCCESS);
    CHECK(to.has(sum_to(ranks() - 1)));
    CHECK(MPIX_Sysgroup_bcast(to.at(), of.count, MPI_LONG, 0, group) == MPI_SUCCESS);
    CHECK(to.has(sum_to(ranks() - 1)));
  }
  MPIX_Sysgroup_free(&group);
}
