// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Compares gathers and scans on groups with native MPI on a communicator of the same members.

#include <cstdint>
#include <vector>

#include "collective/move_cases.hpp"
#include "collective/reductions.hpp"
#include "groups/sysgroup/groups.hpp"
#include "support/catch.hpp"

using namespace test_support;
using moves::Shape;
using moves::Side;

namespace {

MPIX_Sysgroup of_scan = MPIX_SYSGROUP_NULL; // the group on which scan() works

int scan(const reductions::Call& call, const void* send, void* receive) {
  return MPIX_Sysgroup_scan(send, receive, call.count, call.type, call.op, of_scan);
}

std::vector<moves::Operation> gathers_on(MPIX_Sysgroup group) {
  using enum moves::Form;
  using enum moves::Pattern;
  const auto to_root = [group](const Shape& shape, const void* send, const Side& out, void* receive,
                               const Side& in) {
    return MPIX_Sysgroup_gather(send, out.count(), out.type(), receive, in.count(), in.type(), shape.root,
                                group);
  };
  const auto to_all = [group](const Shape&, const void* send, const Side& out, void* receive,
                              const Side& in) {
    return MPIX_Sysgroup_allgather(send, out.count(), out.type(), receive, in.count(), in.type(), group);
  };
  return {
      {"Sysgroup_gather", gather, true, consecutive, consecutive, to_root, moves::native_gather},
      {"Sysgroup_allgather", allgather, true, consecutive, consecutive, to_all,
       moves::to_all(PMPI_Allgather)},
  };
}

} // namespace

TEST_CASE("gathers give what native MPI gives, whatever the types of the members") {
  Draw own(seed() + 1 + static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD)));
  Helpers helpers;
  in_groups(seed(), [&](MPIX_Sysgroup group, Draw& shared) {
    const Comm comm = communicator_of(group);
    for (const moves::Operation& operation : gathers_on(group)) {
      for (int repetition = 0; repetition < 2; ++repetition) {
        const Shape shape = moves::draw_shape(operation, shared, comm);
        CHECK(moves::difference([&](const auto& act) { phase_or_not(own, helpers, act); }, operation, shape,
                                own) == "");
      }
    }
  });
}

TEST_CASE("gathers take MPI_BOTTOM with absolute addresses") {
  Helpers helpers;
  const auto at = [](const int* value) {
    MPI_Aint place = 0;
    PMPI_Get_address(value, &place);
    return Type(PMPI_Type_create_hindexed_block, 1, 1, &place, MPI_INT);
  };
  in_groups(seed(), [&](MPIX_Sysgroup group, Draw&) {
    int rank = -1, size = 0;
    MPIX_Sysgroup_rank(group, &rank);
    MPIX_Sysgroup_size(group, &size);
    const int own = 100 + rank;
    std::vector<int> all(static_cast<std::size_t>(size), -1);
    const Type from = at(&own), into = at(all.data());
    helpers.phase([&] {
      CHECK(MPIX_Sysgroup_allgather(MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, into, group) == MPI_SUCCESS);
    });
    for (int member = 0; member < size; ++member)
      CHECK(all[static_cast<std::size_t>(member)] == 100 + member);
  });
}

TEST_CASE("scans give what native MPI gives, whether operations commute or not") {
  using namespace reductions;
  Draw own(seed() + 1 + static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD)));
  Helpers helpers;
  const MatrixOperation multiplication(false);
  const auto pairs = defined_pairs();
  const Operation operation{"Sysgroup_scan", false, count_of, count_of, scan, plain<PMPI_Scan>};
  in_groups(seed(), [&](MPIX_Sysgroup group, Draw& shared) {
    of_scan = group;
    const Comm comm = communicator_of(group);
    const auto compare = [&](const reductions::Call& call, const reductions::Call& oracle) {
      CHECK(difference([&](const auto& act) { phase_or_not(own, helpers, act); }, shared, own, operation,
                       call, oracle, comm) == "");
    };
    const auto [op, type] = shared.of(pairs);
    const auto call = draw_call(shared, comm, type, op, draw_bytes(shared));
    compare(call, call);

    const Family& family = shared.of(families());
    const int matrices = shared.of({1, 1, 3, 40});
    const Type elements = draw_matrices(shared, family, matrices);
    const Type dense = type_of_matrices(PMPI_Type_contiguous, 4 * matrices, MPI_UINT32_T);
    INFO(family.name << ", matrices in an element " << matrices);
    const auto users = draw_call(shared, comm, elements, multiplication, draw_bytes(shared));
    auto oracle = users;
    oracle.type = dense;
    compare(users, oracle);
  });
}
