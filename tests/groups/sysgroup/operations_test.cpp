// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Operations on groups, beside those of native MPI on a communicator of the same members.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "groups/sysgroup/groups.hpp"
#include "support/catch.hpp"
#include "support/draw.hpp"
#include "support/helpers.hpp"
#include "support/mpi_support.hpp"

using namespace test_support;

namespace {

enum class Kind { bcast, reduce, allreduce };

void multiply(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* const from = static_cast<const std::int32_t*>(in);
  auto* const to = static_cast<std::int32_t*>(inout);
  for (int i = 0; i < *count; ++i)
    to[i] =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(to[i]) * static_cast<std::uint32_t>(from[i]));
}

/// An operation with the arguments that are equal at all members; `stride` 4-byte integers lie between two.
struct Case {
  Kind kind;
  int count, stride, root;
  MPI_Op op;
  bool in_place, is_blocking;
};

/// A member's buffers.
struct Data {
  Bytes send, receive;
};

struct Run {
  MPI_Datatype type;
  const Case& what;

  std::pair<const void*, void*> buffers(Data& data, int rank) const {
    const bool gets = what.kind == Kind::allreduce || rank == what.root;
    const bool in_place = what.in_place && gets;
    return {in_place ? MPI_IN_PLACE : data.send.data(), data.receive.data()};
  }

  // Not by PMPI_Reduce, which is wrong over several nodes (docs/several-machines.md), and in place.
  void natively(Data& data, MPI_Comm comm) const {
    const int rank = rank_of(comm);
    const auto [send, receive] = buffers(data, rank);
    if (what.kind == Kind::bcast) {
      PMPI_Bcast(receive, what.count, type, what.root, comm);
      return;
    }
    Bytes elsewhere = data.receive;
    const bool gets = what.kind == Kind::allreduce || rank == what.root;
    PMPI_Allreduce(send, gets ? receive : elsewhere.data(), what.count, type, what.op, comm);
  }

  int on(MPIX_Sysgroup group, Data& data, int rank) const {
    const auto [send, receive] = buffers(data, rank);
    if (what.is_blocking) {
      if (what.kind == Kind::bcast) return MPIX_Sysgroup_bcast(receive, what.count, type, what.root, group);
      if (what.kind == Kind::reduce)
        return MPIX_Sysgroup_reduce(send, receive, what.count, type, what.op, what.root, group);
      return MPIX_Sysgroup_allreduce(send, receive, what.count, type, what.op, group);
    }
    MPI_Request requests[2];
    if (what.kind == Kind::bcast)
      MPIX_Sysgroup_ibcast(receive, what.count, type, what.root, group, &requests[0]);
    else if (what.kind == Kind::reduce)
      MPIX_Sysgroup_ireduce(send, receive, what.count, type, what.op, what.root, group, &requests[0]);
    else
      MPIX_Sysgroup_iallreduce(send, receive, what.count, type, what.op, group, &requests[0]);
    MPIX_Sysgroup_ibarrier(group, &requests[1]);
    return MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
};

} // namespace

TEST_CASE("operations give what native MPI gives") {
  Draw draw(seed());
  Draw own(seed() + 1 + static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD)));
  Helpers helpers;
  MPI_Op product = MPI_OP_NULL;
  MPI_Op_create(multiply, 1, &product);
  MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, Info{{"mpi_helper_branching", "2"}}, &all);
  const int most_rounds = size_of(MPI_COMM_WORLD) < 4 ? 8 : 3;
  for (int round = 0; round < most_rounds; ++round) {
    MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
    const bool everybody = draw.coin();
    const int absent = everybody ? -1 : draw.upto(size_of(MPI_COMM_WORLD) - 1);
    MPIX_Sysgroup_enroll(all, rank_of(MPI_COMM_WORLD) != absent ? 1 : 0,
                         Info{{"mpi_helper_scheme", draw.coin() ? "balance" : "centralised"}}, &group);
    const std::uint64_t stream = static_cast<std::uint64_t>(draw.upto(1 << 30));
    if (group == MPIX_SYSGROUP_NULL) continue;
    MPI_Comm comm = MPI_COMM_NULL;
    REQUIRE(MPIX_Sysgroup_to_comm(group, &comm) == MPI_SUCCESS);
    int rank = -1;
    MPIX_Sysgroup_rank(group, &rank);
    REQUIRE(rank == rank_of(comm));
    Draw within(stream); // equal at all members
    for (int i = 0; i < 12; ++i) {
      Case what{within.of({Kind::bcast, Kind::reduce, Kind::allreduce}),
                within.bytes(1 << 20) / 4,
                1 + within.upto(2),
                within.upto(size_of(comm) - 1),
                within.coin() ? MPI_SUM : MPI_MAX,
                within.coin(),
                within.coin()};
      if (what.kind != Kind::bcast)
        what.stride = 1; // native reductions of derived types are not to be trusted
      if (what.kind != Kind::bcast && within.upto(3) == 0) what.op = product;
      INFO("kind " << static_cast<int>(what.kind) << ", count " << what.count << ", stride " << what.stride
                   << ", root " << what.root << ", in place " << what.in_place << ", blocking "
                   << what.is_blocking);
      const Run run{what.stride == 1 ? MPI_INT32_T : strided(what.stride), what};
      const auto bytes = static_cast<std::size_t>(4 * what.count * what.stride + 4);
      Data data{Bytes(bytes), Bytes(bytes)};
      own.fill(data.send);
      own.fill(data.receive);
      Data expected = data;
      run.natively(expected, comm);
      int code = MPI_SUCCESS;
      const auto act = [&] { code = run.on(group, data, rank); };
      if (own.coin())
        helpers.phase(act);
      else
        act();
      REQUIRE(code == MPI_SUCCESS);
      REQUIRE((data.receive == expected.receive));
      if (what.stride != 1) MPI_Type_free(const_cast<MPI_Datatype*>(&run.type));
    }
    MPI_Comm_free(&comm);
    MPIX_Sysgroup_free(&group);
  }
  MPI_Op_free(&product);
  MPIX_Sysgroup_free(&all);
}

TEST_CASE("data of a datatype with absolute addresses are at MPI_BOTTOM") {
  const int rank = rank_of(MPI_COMM_WORLD);
  MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &all);
  for (const int count : {1, 1000}) {
    for (int root = 0; root < size_of(MPI_COMM_WORLD); ++root) {
      std::vector<int> values(static_cast<std::size_t>(count), rank);
      MPI_Aint address = 0;
      MPI_Get_address(values.data(), &address);
      MPI_Datatype type = MPI_DATATYPE_NULL;
      MPI_Type_create_hindexed(1, &count, &address, MPI_INT, &type);
      MPI_Type_commit(&type);
      REQUIRE(MPIX_Sysgroup_bcast(MPI_BOTTOM, 1, type, root, all) == MPI_SUCCESS);
      CHECK(std::ranges::count(values, root) == count);
      MPI_Type_free(&type);
    }
  }
  MPIX_Sysgroup_free(&all);
}

TEST_CASE("sums of floating-point numbers have the same bits everywhere and always") {
  Draw own(seed() + static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD)));
  MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &all);
  std::vector<double> mine(50000);
  for (double& value : mine) value = 1.0 / (1 + own.upto(1000000));
  std::vector<double> sums(mine.size()), again(mine.size());
  const int count = static_cast<int>(mine.size());
  MPIX_Sysgroup_allreduce(mine.data(), sums.data(), count, MPI_DOUBLE, MPI_SUM, all);
  Helpers helpers;
  helpers.phase([&] { MPIX_Sysgroup_allreduce(mine.data(), again.data(), count, MPI_DOUBLE, MPI_SUM, all); });
  CHECK(sums == again);
  MPIX_Sysgroup_bcast(again.data(), count, MPI_DOUBLE, 0, all);
  CHECK(sums == again);
  MPIX_Sysgroup_free(&all);
}
