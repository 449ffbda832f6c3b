// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/exchanges.hpp"
#include "message/roles.hpp"
#include "support/as_shared_library.hpp"

// All ranks send and receive at the same time: in pairs, around rings, along chains that end at
// MPI_PROC_NULL, and to themselves.

using namespace test_support;

namespace {

void check_nobody(const MPI_Status& status) {
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
  CHECK(status.MPI_TAG == MPI_ANY_TAG);
  int count = -1;
  PMPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 0);
}

constexpr int tag = 3;

/// Sends `out` to `destination` and receives as much from `source` into `in`. Returns the receive's status.
MPI_Status run(Helpers& helpers, const Exchange& way, const Comm& comm, int destination, int source,
               Data& out, Data& in) {
  (way.in_place ? in : out).put(comm.rank());
  MPI_Status status{};
  int code = MPI_ERR_OTHER;
  helpers.phase([&] { code = way.run(out, {comm, destination, tag}, in, {comm, source, tag}, &status); });
  CHECK(code == MPI_SUCCESS);
  CHECK(out.unchanged());
  CHECK((source == MPI_PROC_NULL ? in.unchanged() : in.holds(source, in.ints())));
  return status;
}

/// Each rank of the world sends to the next one and receives from the previous one.
void run_round(Helpers& helpers, const Exchange& way, Data& out, Data& in) {
  const Comm world(MPI_COMM_WORLD);
  const int size = world.size();
  run(helpers, way, world, (world.rank() + 1) % size, (world.rank() - 1 + size) % size, out, in);
}

/// Sends `ints` ints of a random type and receives as many. Checks data and status.
void exchange(Helpers& helpers, const Exchange& way, const Comm& comm, int destination, int source, int ints,
              Draw& own) {
  Data out(own, ints);
  Data in(own, ints);
  const MPI_Status status = run(helpers, way, comm, destination, source, out, in);
  if (source != MPI_PROC_NULL)
    check_status(status, source, tag, in, ints);
  else if (!way.requests)
    check_nobody(status);
}

} // namespace

TEST_CASE("Everybody exchanges with everybody at once") {
  Helpers helpers;
  Draw shared(seed());
  Draw own(seed() + 1 + static_cast<std::uint64_t>(Comm(MPI_COMM_WORLD).rank()));
  for (const Comm& comm : communicators()) {
    const int size = comm.size();
    for (const Exchange& way : exchanges()) {
      for (int shift = 0; shift < size; ++shift) {
        const int ints = draw_ints(shared);
        INFO(way.name << ", ranks " << size << ", shift " << shift << ", ints " << ints);
        exchange(helpers, way, comm, (comm.rank() + shift) % size, (comm.rank() - shift + size) % size, ints,
                 own);
      }
      const int ints = draw_ints(shared);
      INFO(way.name << ", a chain of " << size << ", ints " << ints);
      const int up = comm.rank() + 1 < size ? comm.rank() + 1 : MPI_PROC_NULL;
      const int down = comm.rank() > 0 ? comm.rank() - 1 : MPI_PROC_NULL;
      exchange(helpers, way, comm, up, down, ints, own);
    }
  }
}

TEST_CASE("Several megabytes of every family go both ways at once") {
  Helpers helpers;
  Draw own(seed() + static_cast<std::uint64_t>(Comm(MPI_COMM_WORLD).rank()));
  int turn = 0;
  for (const Family& family : families()) {
    const Exchange& way = exchanges()[static_cast<std::size_t>(turn++) % exchanges().size()];
    constexpr int ints = 700'002;
    INFO(family.name << " by " << way.name);
    Data out(family.make(own, ints), ints);
    Data in(own, ints);
    run_round(helpers, way, out, in);
  }
}

// The library announces structs of several basic types from a smaller size on than other data.
TEST_CASE("Structs of several basic types go both ways at once") {
  Helpers helpers;
  const std::array<int, 2> lengths{2, 1};
  const std::array<MPI_Aint, 2> places{0, 12};
  const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_FLOAT}; // these have no padding
  const Type pattern(PMPI_Type_create_struct, 2, lengths.data(), places.data(), types.data());
  for (const Exchange& way : exchanges()) {
    for (const int ints : {60, 300, 900, 2'100, 60'000}) {
      INFO(way.name << ", ints " << ints);
      Data out({Type(PMPI_Type_dup, pattern), ints / 3}, ints);
      Data in({Type(PMPI_Type_dup, pattern), ints / 3}, ints);
      run_round(helpers, way, out, in);
    }
  }
}

TEST_CASE("Pairs of a value and an index go both ways at once") {
  Helpers helpers;
  for (const MPI_Datatype pair : pairs_with_gaps()) {
    int bytes = 0;
    PMPI_Type_size(pair, &bytes);
    for (const Exchange& way : exchanges()) {
      for (const int ints : {300, 60'000}) {
        INFO("pairs of " << bytes << " bytes by " << way.name << ", ints " << ints);
        Data out({Type(PMPI_Type_dup, pair), 4 * ints / bytes}, ints);
        Data in({Type(PMPI_Type_dup, pair), 4 * ints / bytes}, ints);
        run_round(helpers, way, out, in);
      }
    }
  }
}
