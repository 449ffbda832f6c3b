// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/cases.hpp"
#include "support/catch.hpp"

using namespace test_support;

// Open MPI 4, and MPICH since 4.2, hang if one rank passes no element and another an element without data.
constexpr int least_ints = MPI_VERSION == 4 && MPI_SUBVERSION == 0 ? 0 : 1;

TEST_CASE("A broadcast by the team is native MPI's, whatever the types at the ranks") {
  Helpers helpers;
  Draw shared(seed());
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (int repetition = 0; repetition < 8; ++repetition) {
      const int ints = std::max(least_ints, shared.bytes(3 << 20) / 4);
      const int root = shared.upto(comm.size() - 1);
      const Family& family = own.of(families());
      const Elements data = family.make(own, ints);
      Buffer carried(data.type, data.count);
      own.fill(carried.bytes);
      Buffer native = carried;
      int code = MPI_ERR_OTHER;
      helpers.phase([&] { code = MPI_Bcast(carried.address(), data.count, data.type, root, comm); });
      PMPI_Bcast(native.address(), data.count, data.type, root, comm);
      INFO("ranks " << comm.size() << ", root " << root << ", ints " << ints << ", " << family.name);
      REQUIRE(code == MPI_SUCCESS);
      REQUIRE(carried.bytes == native.bytes);
    }
  }
}

TEST_CASE("A broadcast of nothing ends, whichever way each rank says so") {
  if (is_open_mpi()) return; // its MPI_Bcast hangs
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const Type empty(PMPI_Type_contiguous, 0, MPI_INT);
  int value = 17;
  for (int without = 0; without < world.size(); ++without) {
    const bool has_none = world.rank() == without;
    helpers.phase([&] {
      CHECK(MPI_Bcast(&value, has_none ? 0 : 1, has_none ? MPI_INT : MPI_Datatype(empty), 0, world) ==
            MPI_SUCCESS);
    });
    PMPI_Barrier(world); // keeps messages of the next round from ending this one
  }
  CHECK(value == 17);
}

#if MPI_VERSION >= 4
TEST_CASE("A broadcast takes large counts") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  std::vector<double> values(70000, world.rank() == 0 ? 3.0 : 0.0);
  helpers.phase(
      [&] { MPI_Bcast_c(values.data(), static_cast<MPI_Count>(values.size()), MPI_DOUBLE, 0, world); });
  REQUIRE(values == std::vector<double>(70000, 3.0));
}
#endif

TEST_CASE("A broadcast takes MPI_BOTTOM with absolute addresses") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  std::vector<int> first(50000, world.rank() == 0 ? 1 : 0);
  std::vector<int> second(50000, world.rank() == 0 ? 2 : 0);
  MPI_Aint places[2];
  PMPI_Get_address(first.data(), &places[0]);
  PMPI_Get_address(second.data(), &places[1]);
  const int lengths[2] = {50000, 50000};
  const MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
  const Type both(PMPI_Type_create_struct, 2, lengths, places, ints);
  helpers.phase([&] { MPI_Bcast(MPI_BOTTOM, 1, both, 0, world); });
  REQUIRE(first == std::vector<int>(50000, 1));
  REQUIRE(second == std::vector<int>(50000, 2));
}

TEST_CASE("A broadcast on an inter-communicator is native MPI's") {
  const Comm world(MPI_COMM_WORLD);
  if (world.size() < 2) return;
  Helpers helpers;
  const bool left = world.rank() == 0;
  const Comm inter = between_groups(left);
  int value = left ? 42 : 0;
  helpers.phase([&] { MPI_Bcast(&value, 1, MPI_INT, left ? MPI_ROOT : 0, inter); });
  REQUIRE(value == 42);
}

TEST_CASE("Broadcasts on an inter-communicator are followed by others, whatever idle ranks pass") {
  const Comm world(MPI_COMM_WORLD);
  if (world.size() < 3) return;
  Helpers helpers;
  const bool receives = world.rank() == 0;
  const bool sends = world.rank() == 1; // the other ranks of the group of rank 1 are idle
  const Comm inter = between_groups(receives);
  for (const int count : {1, 0}) {
    int value = sends ? 42 : 0;
    helpers.phase([&] {
      if (receives || sends)
        MPI_Bcast(&value, count, MPI_INT, sends ? MPI_ROOT : 0, inter);
      else
        MPI_Bcast(&value, 1 - count, MPI_INT, MPI_PROC_NULL, inter);
      MPI_Barrier(inter);
    });
    REQUIRE(value == (sends || (receives && count == 1) ? 42 : 0));
  }
}

TEST_CASE("Broadcasts that native MPI rejects are rejected as by native MPI") {
  Helpers helpers;
  const Comm self(MPI_COMM_SELF);
  int value = 0;
  const auto classes = [&](const auto& bcast) {
    return std::vector<int>{class_of(bcast(&value, -1, MPI_INT, 0, self)),
                            class_of(bcast(&value, 1, MPI_INT, 1, self)),
                            class_of(bcast(&value, 1, MPI_DATATYPE_NULL, 0, self)),
                            class_of(bcast(nullptr, 1, MPI_INT, 0, self))};
  };
  std::vector<int> carried;
  helpers.phase([&] { carried = classes(MPI_Bcast); });
  REQUIRE(carried == classes(PMPI_Bcast));
}
