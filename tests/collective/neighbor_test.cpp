// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests neighbourhood collectives on process topologies of all kinds.

#include <algorithm>
#include <array>
#include <vector>

#include "collective/neighbor_cases.hpp"
#include "collective/neighbor_exchange.hpp"
#include "support/catch.hpp"

using namespace test_support;
using namespace test_support::moves;

namespace {

std::vector<Operation> neighbor_operations() {
  using enum Form;
  using enum Pattern;
  const Form one = consecutive;
  // clang-format off
  return {
      {"Neighbor_allgather", allgather, true, one, consecutive, to_all(MPI_Neighbor_allgather),
       to_all(PMPI_Neighbor_allgather)},
      {"Neighbor_allgatherv", allgather, false, one, placed, allgatherv<int>(MPI_Neighbor_allgatherv),
       allgatherv<int>(PMPI_Neighbor_allgatherv)},
      {"Neighbor_alltoall", alltoall, true, consecutive, consecutive, to_all(MPI_Neighbor_alltoall),
       to_all(PMPI_Neighbor_alltoall)},
      {"Neighbor_alltoallv", alltoall, false, placed, placed, alltoallv<int>(MPI_Neighbor_alltoallv),
       alltoallv<int>(PMPI_Neighbor_alltoallv)},
      {"Neighbor_alltoallw", alltoall, false, typed, typed, neighbor_alltoallw<int>(MPI_Neighbor_alltoallw),
       native_alltoallw<int>(PMPI_Neighbor_alltoallw)},
#if MPI_VERSION >= 4
      {"Neighbor_allgather_c", allgather, true, one, consecutive, to_all(MPI_Neighbor_allgather_c),
       to_all(PMPI_Neighbor_allgather_c)},
      {"Neighbor_allgatherv_c", allgather, false, one, placed, allgatherv<MPI_Count>(MPI_Neighbor_allgatherv_c),
       allgatherv<MPI_Count>(PMPI_Neighbor_allgatherv_c)},
      {"Neighbor_alltoall_c", alltoall, true, consecutive, consecutive, to_all(MPI_Neighbor_alltoall_c),
       to_all(PMPI_Neighbor_alltoall_c)},
      {"Neighbor_alltoallv_c", alltoall, false, placed, placed, alltoallv<MPI_Count>(MPI_Neighbor_alltoallv_c),
       alltoallv<MPI_Count>(PMPI_Neighbor_alltoallv_c)},
      {"Neighbor_alltoallw_c", alltoall, false, typed, typed, neighbor_alltoallw<MPI_Count>(MPI_Neighbor_alltoallw_c),
       native_alltoallw<MPI_Count>(PMPI_Neighbor_alltoallw_c)},
#endif
  };
  // clang-format on
}

} // namespace

TEST_CASE("Neighbours exchange by the team what they do by native MPI") {
  Helpers helpers;
  Draw shared(seed());
  const auto all = neighbor_operations();
  for (const Topology& topology : topologies(shared)) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(topology.comm.rank()));
    for (const Operation& operation : all) {
      for (int repetition = 0; repetition < 2; ++repetition)
        REQUIRE(difference(helpers, operation, topology, shared, own) == "");
    }
  }
}

TEST_CASE("Neighbours exchange what lies at absolute addresses") {
  Helpers helpers;
  const Topology ring = grid({0}, {1});
  constexpr int count = 20'000;
  const auto exchange = [&](auto function) {
    std::vector<int> out(4 * count), in(out.size(), -1);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int>(i) + 100'000 * ring.comm.rank();
    const Type from[] = {at_address(out, 0, count), at_address(out, 2 * count, count)},
               to[] = {at_address(in, 1, count), at_address(in, 2 * count + 1, count)};
    const std::array<MPI_Datatype, 2> out_types{from[0], from[1]}, in_types{to[0], to[1]};
    const std::array counts{1, 1};
    const std::array<MPI_Aint, 2> places{0, 0};
    const int code = function(MPI_BOTTOM, counts.data(), places.data(), out_types.data(), MPI_BOTTOM,
                              counts.data(), places.data(), in_types.data(), ring.comm);
    return std::pair(code, in);
  };
  std::pair<int, std::vector<int>> carried;
  helpers.phase([&] { carried = exchange(MPI_Neighbor_alltoallw); });
  REQUIRE(carried == exchange(PMPI_Neighbor_alltoallw));
}

TEST_CASE("A neighbour that sends too much is an error, after which neighbours exchange on") {
  const Topology ring = grid({0}, {1});
  if (ring.comm.size() < 2) return; // MPICH does not report it if a rank is its own neighbour
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Helpers helpers;
  for (const int count : {10, 40'000}) {
    const Type spread(PMPI_Type_vector, count, 1, 2, MPI_INT);
    std::vector<int> out(4 * static_cast<std::size_t>(count), 7), in(out);
    const int expected = ring.comm.rank() == 0 ? count - 1 : count;
    int code = MPI_SUCCESS;
    int next = MPI_ERR_OTHER;
    helpers.phase([&] {
      code = MPI_Neighbor_allgather(out.data(), 1, spread, in.data(), expected, MPI_INT, ring.comm);
      next = MPI_Neighbor_allgather(out.data(), 1, spread, in.data(), count, MPI_INT, ring.comm);
    });
    REQUIRE(class_of(code) == (ring.comm.rank() == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
    REQUIRE(next == MPI_SUCCESS);
  }
}

TEST_CASE("Calls of neighbours that native MPI rejects are rejected as by native MPI") {
  Helpers helpers;
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const Topology ring = grid({0}, {1});
  std::array<int, 2> in{1, 2}, out{};
  const auto none = MPI_DATATYPE_NULL;
  const auto classes = [&](auto allgather, auto alltoall) {
    std::vector<int> all{class_of(allgather(in.data(), 1, none, out.data(), 1, MPI_INT, ring.comm)),
                         class_of(allgather(in.data(), -1, MPI_INT, out.data(), 1, MPI_INT, ring.comm)),
                         class_of(alltoall(in.data(), 1, MPI_INT, out.data(), 1, none, ring.comm)),
                         class_of(alltoall(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, MPI_COMM_NULL)),
                         class_of(alltoall(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, MPI_COMM_SELF))};
    return all;
  };
  std::vector<int> carried;
  helpers.phase([&] { carried = classes(MPI_Neighbor_allgather, MPI_Neighbor_alltoall); });
  const auto native = classes(PMPI_Neighbor_allgather, PMPI_Neighbor_alltoall);
  REQUIRE(carried == native);
  REQUIRE(std::ranges::find(native, MPI_SUCCESS) == native.end());
}
