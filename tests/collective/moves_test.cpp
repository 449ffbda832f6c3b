// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <numeric>

#include "collective/move_cases.hpp"
#include "support/catch.hpp"

using namespace test_support;
using namespace test_support::moves;

namespace {

/// Returns a type that covers the bytes of `pair`, a predefined pair of a value and an int, as MPI_BYTE.
Type bytes_of_pair(MPI_Datatype pair) {
  int size = 0;
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  PMPI_Type_size(pair, &size);
  PMPI_Type_get_extent(pair, &lower, &extent);
  const std::array<int, 2> lengths{size - 4, 4};
  const std::array<int, 2> places{0, std::max(size - 4, 4)};
  const Type bytes(PMPI_Type_indexed, 2, lengths.data(), places.data(), MPI_BYTE);
  return Type(PMPI_Type_create_resized, bytes, 0, extent);
}

} // namespace

TEST_CASE("Data are moved by the team as by native MPI, whatever the types at the ranks") {
  Helpers helpers;
  Draw shared(seed());
  const auto all = operations();
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (const Operation& operation : all) {
      // Open MPI crashes in MPI_Alltoallw of one rank with displacements.
      if (is_open_mpi() && comm.size() == 1 && operation.out == Form::typed) continue;
      for (int repetition = 0; repetition < 2; ++repetition) {
        const Shape shape = draw_shape(operation, shared, comm);
        REQUIRE(difference([&](const auto& call) { helpers.phase(call); }, operation, shape, own) == "");
      }
    }
  }
}

TEST_CASE("Moves take MPI_BOTTOM with absolute addresses") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  const auto ranks = static_cast<std::size_t>(world.size());
  const auto at = [](const std::vector<int>& values, int count) {
    MPI_Aint place = 0;
    PMPI_Get_address(values.data(), &place);
    return Type(PMPI_Type_create_hindexed_block, 1, count, &place, MPI_INT);
  };
  for (const int count : {5, 30000}) {
    std::vector<int> out(ranks * static_cast<std::size_t>(count));
    for (int& value : out) value = own.upto(1 << 30);
    std::vector<int> carried(out.size(), -1), native(out.size(), -1);
    const Type from = at(out, count), into = at(carried, count);
    helpers.phase([&] { MPI_Alltoall(MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, into, world); });
    PMPI_Alltoall(out.data(), count, MPI_INT, native.data(), count, MPI_INT, world);
    REQUIRE(carried == native);
    helpers.phase([&] { MPI_Allgather(MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, into, world); });
    PMPI_Allgather(out.data(), count, MPI_INT, native.data(), count, MPI_INT, world);
    REQUIRE(carried == native);
    const int root = world.size() - 1;
    helpers.phase([&] { MPI_Scatter(MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, into, root, world); });
    PMPI_Scatter(out.data(), count, MPI_INT, native.data(), count, MPI_INT, root, world);
    REQUIRE(carried == native);
    helpers.phase([&] { MPI_Gather(MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, into, root, world); });
    PMPI_Gather(out.data(), count, MPI_INT, native.data(), count, MPI_INT, root, world);
    REQUIRE(carried == native);
  }
}

TEST_CASE("Blocks that differ are gathered by types whose extents differ, where MPICH's ranks hang") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  constexpr int unit = 15'000; // ints; so large blocks go around a ring of MPICH's ranks
  const Type units(PMPI_Type_contiguous, unit, MPI_INT);
  const bool by_units = world.rank() != 0;
  const int elements = by_units ? 1 : unit; // elements of the rank's type in a unit
  std::vector<int> counts, places, expected;
  for (int rank = 0; rank < world.size(); ++rank) {
    const int given = rank == world.size() - 1 ? 0 : 3; // units
    counts.push_back(given * elements);
    places.push_back(rank * 3 * elements);
    expected.insert(expected.end(), static_cast<std::size_t>(given * unit), rank);
  }
  const std::vector<int> own(3 * unit, world.rank());
  std::vector<int> gathered(expected.size());
  helpers.phase([&] {
    const MPI_Datatype type = by_units ? static_cast<MPI_Datatype>(units) : MPI_INT;
    MPI_Allgatherv(own.data(), counts[static_cast<std::size_t>(world.rank())], type, gathered.data(),
                   counts.data(), places.data(), type, world);
  });
  REQUIRE(gathered == expected);
}

TEST_CASE("Pairs of a value and an index are moved as MPI moves their bytes") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  for (const MPI_Datatype pair : pairs_with_gaps()) {
    const Type bytes = bytes_of_pair(pair);
    for (const int count : {20, 20'000}) {
      Buffer out(pair, world.size() * count);
      own.fill(out.bytes);
      const auto moved = [&](MPI_Datatype type, auto gather, auto scatter, auto allgather, auto alltoall) {
        std::vector<Buffer> in(4, Buffer(pair, world.size() * count));
        gather(out.address(), count, type, in[0].address(), count, type, 0, world);
        scatter(out.address(), count, type, in[1].address(), count, type, 0, world);
        allgather(out.address(), count, type, in[2].address(), count, type, world);
        alltoall(out.address(), count, type, in[3].address(), count, type, world);
        std::vector<std::vector<unsigned char>> results;
        for (const Buffer& buffer : in) results.push_back(buffer.bytes);
        return results;
      };
      std::vector<std::vector<unsigned char>> carried;
      helpers.phase([&] { carried = moved(pair, MPI_Gather, MPI_Scatter, MPI_Allgather, MPI_Alltoall); });
      REQUIRE(carried == moved(bytes, PMPI_Gather, PMPI_Scatter, PMPI_Allgather, PMPI_Alltoall));
    }
  }
}

TEST_CASE("On an inter-communicator data are moved by native MPI") {
  const Comm world(MPI_COMM_WORLD);
  if (world.size() < 2) return;
  Helpers helpers;
  const bool left = world.rank() == 0;
  const Comm inter = between_groups(left);
  const int value = world.rank();
  std::vector<int> gathered(static_cast<std::size_t>(world.size() - 1), -1);
  std::vector<int> expected(gathered.size());
  std::iota(expected.begin(), expected.end(), 1);
  helpers.phase([&] {
    MPI_Barrier(inter);
    MPI_Gather(&value, 1, MPI_INT, gathered.data(), 1, MPI_INT, left ? MPI_ROOT : 0, inter);
  });
  if (left) REQUIRE(gathered == expected);
  helpers.phase([&] { MPI_Allgather(&value, 1, MPI_INT, gathered.data(), 1, MPI_INT, inter); });
  if (left) REQUIRE(gathered == expected);
  if (!left) REQUIRE(gathered.front() == 0);
}

TEST_CASE("Of what is moved in place the type may be anything") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const bool is_root = world.rank() == 0;
  std::vector<int> all(static_cast<std::size_t>(world.size()), -1);
  all[static_cast<std::size_t>(world.rank())] = world.rank();
  std::vector<int> expected(all.size());
  std::iota(expected.begin(), expected.end(), 0);
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  helpers.phase([&] {
    MPI_Gather(is_root ? MPI_IN_PLACE : &all[static_cast<std::size_t>(world.rank())], is_root ? -1 : 1,
               is_root ? none : MPI_INT, all.data(), 1, MPI_INT, 0, world);
    if (is_root) CHECK(all == expected);
    MPI_Allgather(MPI_IN_PLACE, -1, none, all.data(), 1, MPI_INT, world);
    CHECK(all == expected);
  });
}

TEST_CASE("Calls that native MPI rejects are rejected as by native MPI") {
  Helpers helpers;
  const Comm self(MPI_COMM_SELF);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int in = 1;
  int out = 0;
  const int count = 1;
  const int negative = -1;
  const int place = 0;
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  const auto classes = [&](auto gather, auto scatterv, auto allgather, auto alltoall, auto alltoallw,
                           auto barrier) {
    std::vector<int> all{class_of(gather(&in, 1, none, &out, 1, MPI_INT, 0, self)),
                         class_of(gather(&in, -1, MPI_INT, &out, 1, MPI_INT, 0, self)),
                         class_of(gather(&in, 1, MPI_INT, &out, 1, MPI_INT, 1, self)),
                         class_of(gather(&in, 1, MPI_INT, &out, 1, MPI_INT, 0, MPI_COMM_NULL)),
                         class_of(gather(&in, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, self)),
                         class_of(scatterv(&in, &negative, &place, MPI_INT, &out, 1, MPI_INT, 0, self)),
                         class_of(allgather(&in, 1, MPI_INT, &out, 1, none, self)),
                         class_of(alltoall(&in, 1, MPI_INT, &out, -1, MPI_INT, self)),
                         class_of(alltoallw(&in, &count, &place, &none, &out, &count, &place, &none, self)),
                         class_of(barrier(MPI_COMM_NULL))};
    if (!is_open_mpi()) { // Open MPI does not report that both buffers are the same
      all.push_back(class_of(gather(&in, 1, MPI_INT, &in, 1, MPI_INT, 0, self)));
      all.push_back(class_of(alltoall(&in, 1, MPI_INT, &in, 1, MPI_INT, self)));
      all.push_back(class_of(scatterv(nullptr, &count, &place, MPI_INT, &out, 1, MPI_INT, 0, self)));
      all.push_back(class_of(allgather(&in, 1, MPI_INT, nullptr, 1, MPI_INT, self)));
    }
    return all;
  };
  std::vector<int> carried;
  helpers.phase([&] {
    carried = classes(MPI_Gather, MPI_Scatterv, MPI_Allgather, MPI_Alltoall, MPI_Alltoallw, MPI_Barrier);
  });
  const auto native =
      classes(PMPI_Gather, PMPI_Scatterv, PMPI_Allgather, PMPI_Alltoall, PMPI_Alltoallw, PMPI_Barrier);
  REQUIRE(carried == native);
  REQUIRE(std::ranges::find(native, MPI_SUCCESS) == native.end());
}
