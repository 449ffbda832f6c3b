// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Compares operations on groups with native MPI on a communicator of the same members.

#include <cstdint>
#include <string_view>
#include <vector>

#include "collective/reductions.hpp"
#include "groups/sysgroup/groups.hpp"
#include "message/data.hpp"
#include "message/flavours.hpp"
#include "support/catch.hpp"

using namespace test_support;
using reductions::Call;

namespace {

MPIX_Sysgroup group = MPIX_SYSGROUP_NULL; // the group on which operations work

template <auto Function>
int to_all(const Call& call, const void* send, void* receive) {
  return Function(send, receive, call.count, call.type, call.op, group);
}

template <auto Function>
int to_root(const Call& call, const void* send, void* receive) {
  return Function(send, receive, call.count, call.type, call.op, call.root, group);
}

/// Draws a way to complete requests. MPI_Request_get_status alone does not advance operations of groups.
const Completing& next_way() {
  static Draw own(seed() + 77 * static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD)));
  const Completing* way = nullptr;
  do way = &own.of(completings());
  while (std::string_view(way->name).starts_with("Request_get_status"));
  return *way;
}

/// Starts an operation and then a barrier, and completes both together in a random way.
template <auto Start>
constexpr auto completed_before_barrier = [](const auto&... arguments) {
  std::vector<MPI_Request> requests(2, MPI_REQUEST_NULL);
  std::vector<MPI_Status> statuses(2);
  const int code = Start(arguments..., requests.data());
  MPIX_Sysgroup_ibarrier(group, &requests[1]);
  const int completed = next_way().complete(requests, statuses.data());
  return code == MPI_SUCCESS ? completed : code;
};

// PMPI_Reduce is not used: it is wrong on several nodes (docs/mpi-faults.md).
const std::vector<reductions::Operation> group_reductions{
    {"Sysgroup_reduce", true, reductions::count_of, reductions::count_of, to_root<MPIX_Sysgroup_reduce>,
     reductions::rooted<reductions::native_reduce>},
    {"Sysgroup_allreduce", false, reductions::count_of, reductions::count_of, to_all<MPIX_Sysgroup_allreduce>,
     reductions::plain<PMPI_Allreduce>},
    {"Sysgroup_ireduce", true, reductions::count_of, reductions::count_of,
     to_root<completed_before_barrier<MPIX_Sysgroup_ireduce>>, reductions::rooted<reductions::native_reduce>},
    {"Sysgroup_iallreduce", false, reductions::count_of, reductions::count_of,
     to_all<completed_before_barrier<MPIX_Sysgroup_iallreduce>>, reductions::plain<PMPI_Allreduce>},
};

/// Runs `test(comm, shared, own)` on some groups with binary trees. `group` is the group, and `comm` a
/// communicator of its members. `shared` gives equal values at all members.
template <class Test>
void in_some_groups(const Test& test) {
  Draw draw(seed());
  Draw own(seed() + 1 + static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD)));
  MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, Info{{"mpi_helper_branching", "2"}}, &all);
  const int rounds = size_of(MPI_COMM_WORLD) < 4 ? 8 : 3;
  for (int round = 0; round < rounds; ++round) {
    const int absent = draw.coin() ? -1 : draw.upto(size_of(MPI_COMM_WORLD) - 1);
    MPIX_Sysgroup_enroll(all, rank_of(MPI_COMM_WORLD) != absent ? 1 : 0,
                         Info{{"mpi_helper_scheme", draw.coin() ? "balance" : "centralised"}}, &group);
    Draw shared(static_cast<std::uint64_t>(draw.upto(1 << 30)));
    if (group == MPIX_SYSGROUP_NULL) continue;
    const Comm comm = communicator_of(group);
    test(comm, shared, own);
    MPIX_Sysgroup_free(&group);
  }
  MPIX_Sysgroup_free(&all);
}

} // namespace

TEST_CASE("reductions give what native MPI gives, on every type and with operations of the user's") {
  Helpers helpers;
  const reductions::MatrixOperation addition(true);
  const auto pairs = reductions::defined_pairs();
  in_some_groups([&](const Comm& comm, Draw& shared, Draw& own) {
    const auto in_phase_or_not = [&](const auto& act) { phase_or_not(own, helpers, act); };
    for (const reductions::Operation& operation : group_reductions) {
      const auto [op, type] = shared.of(pairs);
      const Call call = reductions::draw_call(shared, comm, type, op, draw_bytes(shared));
      CHECK(reductions::difference(in_phase_or_not, shared, own, operation, call, call, comm) == "");

      const Family& family = shared.of(families());
      const int matrices = shared.of({1, 1, 3, 40});
      const Type elements = reductions::draw_matrices(shared, family, matrices);
      const Type dense = reductions::type_of_matrices(PMPI_Type_contiguous, 4 * matrices, MPI_UINT32_T);
      INFO(family.name << ", matrices in an element " << matrices);
      const Call users = reductions::draw_call(shared, comm, elements, addition, draw_bytes(shared));
      Call oracle = users;
      oracle.type = dense;
      CHECK(reductions::difference(in_phase_or_not, shared, own, operation, users, oracle, comm) == "");
    }
  });
}

TEST_CASE("a broadcast reaches all members, whatever their types") {
  Helpers helpers;
  in_some_groups([&](const Comm& comm, Draw& shared, Draw& own) {
    for (int key = 0; key < 4; ++key) {
      const int ints = 1 + draw_bytes(shared) / 4;
      const int root = shared.upto(comm.size() - 1);
      const bool is_blocking = shared.coin();
      INFO("ranks " << comm.size() << ", root " << root << ", ints " << ints << ", blocking " << is_blocking);
      Data data(own, ints);
      if (comm.rank() == root) data.put(key);
      phase_or_not(own, helpers, [&] {
        const auto bcast = [&](const auto& function) {
          CHECK(function(data.address(), data.count(), data.type(), root, group) == MPI_SUCCESS);
        };
        is_blocking ? bcast(MPIX_Sysgroup_bcast) : bcast(completed_before_barrier<MPIX_Sysgroup_ibcast>);
      });
      CHECK((comm.rank() == root ? data.unchanged() : data.holds(key, ints)));
    }
  });
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
