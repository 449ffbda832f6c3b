// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "collective/completed.hpp"
#include "collective/reductions.hpp"
#include "shm/control.hpp"
#include "support/catch.hpp"

using namespace test_support;

#if MPI_VERSION >= 4

namespace {

/// Makes the team carry reductions of any size. By default small ones are native.
const bool is_wished =
    setenv("MPI_HELPER_ALGORITHM",
           "ireduce=cma,iallreduce=cma,ireduce_scatter=cma,ireduce_scatter_block=cma,iscan=cma,iexscan=cma",
           1) == 0;

std::vector<reductions::Operation> persistent_reductions() {
  using namespace reductions;
  // clang-format off
  return {
      {"Allreduce_init", false, count_of, count_of, plain<started_and_completed<MPI_Allreduce_init>>, plain<PMPI_Allreduce>},
      {"Reduce_init", true, count_of, count_of, rooted<started_and_completed<MPI_Reduce_init>>, rooted<native_reduce>},
      {"Reduce_scatter, persistent", false, all_counts, own_count, scattered<started_and_completed<MPI_Reduce_scatter_init>, int>,
       scattered<PMPI_Reduce_scatter, int>},
      {"Reduce_scatter_block, persistent", false, count_for_each, count_of,
       plain<started_and_completed<MPI_Reduce_scatter_block_init>>, plain<PMPI_Reduce_scatter_block>},
      {"Scan_init", false, count_of, count_of, plain<started_and_completed<MPI_Scan_init>>, plain<PMPI_Scan>},
      {"Exscan_init", false, count_of, count_of, plain<started_and_completed<MPI_Exscan_init>>, plain<PMPI_Exscan>},
      {"Allreduce_init_c", false, count_of, count_of, plain<started_and_completed<MPI_Allreduce_init_c>>, plain<PMPI_Allreduce>},
      {"Reduce_init_c", true, count_of, count_of, rooted<started_and_completed<MPI_Reduce_init_c>>, rooted<native_reduce>},
      {"Reduce_scatter_c, persistent", false, all_counts, own_count,
       scattered<started_and_completed<MPI_Reduce_scatter_init_c>, MPI_Count>, scattered<PMPI_Reduce_scatter, int>},
      {"Reduce_scatter_block_c, persistent", false, count_for_each, count_of,
       plain<started_and_completed<MPI_Reduce_scatter_block_init_c>>, plain<PMPI_Reduce_scatter_block>},
      {"Scan_init_c", false, count_of, count_of, plain<started_and_completed<MPI_Scan_init_c>>, plain<PMPI_Scan>},
      {"Exscan_init_c", false, count_of, count_of, plain<started_and_completed<MPI_Exscan_init_c>>, plain<PMPI_Exscan>},
  };
  // clang-format on
}

MPI_Comm copy_of_world() {
  MPI_Comm copy = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &copy);
  return copy;
}

} // namespace

TEST_CASE("Persistent reductions give native MPI's bits where nothing rounds") {
  REQUIRE(is_wished);
  Helpers helpers;
  Draw shared(seed());
  const auto pairs = reductions::defined_pairs();
  const auto all = persistent_reductions();
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (const reductions::Operation& operation : all) {
      const auto [op, type] = shared.of(pairs);
      const auto call = reductions::draw_call(shared, comm, type, op, shared.bytes(1 << 19));
      REQUIRE(reductions::difference([&](const auto& body) { helpers.phase(body); }, shared, own, operation,
                                     call, call, comm) == "");
    }
  }
}

TEST_CASE("Each rank starts the persistent operations of a communicator in an order of its own") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw own(seed() + 1000 * static_cast<std::uint64_t>(world.rank()));
  constexpr int count = 5000;
  constexpr std::size_t number = helper::shm::ControlBlock::most_persistent;
  for (const bool is_freed :
       {false, true, false}) { // the last turn uses control blocks that were freed before
    MPI_Comm comm = copy_of_world();
    std::vector<std::vector<int>> in(number, std::vector<int>(count)), out(in);
    std::vector<MPI_Request> requests(number, MPI_REQUEST_NULL);
    helpers.phase([&] {
      for (std::size_t i = 0; i < number; ++i)
        MPI_Allreduce_init(in[i].data(), out[i].data(), count, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                           &requests[i]);
      if (is_freed) MPI_Comm_free(&comm);
      for (int round = 0; round < 4; ++round) {
        std::vector<std::size_t> order(number);
        std::iota(order.begin(), order.end(), std::size_t{0});
        own.shuffle(order);
        std::vector<MPI_Request> started;
        for (const std::size_t i : order) {
          std::ranges::fill(in[i], static_cast<int>(i) + round + world.rank());
          started.push_back(requests[i]);
        }
        if (round % 2 == 0) {
          CHECK(MPI_Startall(static_cast<int>(number), started.data()) == MPI_SUCCESS);
        } else {
          for (MPI_Request& request : started) CHECK(MPI_Start(&request) == MPI_SUCCESS);
        }
        if (world.size() > 1) CHECK(std::ranges::count_if(started, is_carried) == std::ssize(started));
        own.shuffle(started);
        CHECK(MPI_Waitall(static_cast<int>(number), started.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        CHECK(std::ranges::count(started, MPI_REQUEST_NULL) == 0);
        const int ranks = world.size() * (world.size() - 1) / 2;
        for (std::size_t i = 0; i < number; ++i)
          CHECK(std::ranges::count(out[i], (static_cast<int>(i) + round) * world.size() + ranks) == count);
      }
      for (MPI_Request& request : requests) CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
    });
    if (!is_freed) PMPI_Comm_free(&comm);
  }
}

TEST_CASE("Beyond the number that can be carried persistent operations are native") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const Comm comm(copy_of_world());
  constexpr int count = 5000;
  constexpr std::size_t number = helper::shm::ControlBlock::most_persistent + 2;
  const std::vector<int> in(count, world.rank());
  std::vector<std::vector<int>> out(number, std::vector<int>(count, -1));
  std::vector<MPI_Request> requests(number, MPI_REQUEST_NULL);
  helpers.phase([&] {
    for (std::size_t i = 0; i < number; ++i)
      MPI_Allreduce_init(in.data(), out[i].data(), count, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                         &requests[i]);
    CHECK(MPI_Startall(static_cast<int>(number), requests.data()) == MPI_SUCCESS);
    if (world.size() > 1) CHECK(std::ranges::count_if(requests, is_carried) == std::ssize(requests) - 2);
    CHECK(MPI_Waitall(static_cast<int>(number), requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    for (MPI_Request& request : requests) MPI_Request_free(&request);
  });
  for (const std::vector<int>& sums : out)
    CHECK(std::ranges::count(sums, world.size() * (world.size() - 1) / 2) == count);
}

TEST_CASE("An inactive persistent request is complete, and one freed while it is active ends") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const Comm comm(copy_of_world());
  // Static, because an operation that is freed while it is active may continue until MPI ends.
  static std::vector<int> in, out;
  in.assign(30'000, world.rank());
  out.assign(in.size(), 0);
  const auto check_inactive = [&](MPI_Request& request) {
    const MPI_Request before = request;
    int flag = 0;
    int index = 0;
    MPI_Status status;
    status.MPI_SOURCE = 1;
    CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE);
    CHECK((MPI_Test(&request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag != 0));
    CHECK((MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag != 0));
    status.MPI_SOURCE = 1;
    CHECK((MPI_Testany(1, &request, &index, &flag, &status) == MPI_SUCCESS && flag != 0));
    CHECK((index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE));
    status.MPI_SOURCE = 1;
    CHECK((MPI_Waitany(1, &request, &index, &status) == MPI_SUCCESS && index == MPI_UNDEFINED));
    CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE);
    int place = 0;
    CHECK((MPI_Waitsome(1, &request, &index, &place, &status) == MPI_SUCCESS && index == MPI_UNDEFINED));
    std::array<int, 2> sent{1, 0};
    std::array<MPI_Request, 3> mixed{request, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(&sent[1], 1, MPI_INT, world.rank(), 0, MPI_COMM_WORLD, &mixed[1]);
    MPI_Isend(sent.data(), 1, MPI_INT, world.rank(), 0, MPI_COMM_WORLD, &mixed[2]);
    CHECK((MPI_Waitany(3, mixed.data(), &index, &status) == MPI_SUCCESS && (index == 1 || index == 2)));
    CHECK(MPI_Waitall(3, mixed.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    CHECK((mixed[0] == before && request == before && sent[1] == 1));
  };
  helpers.phase([&] {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Allreduce_init(in.data(), out.data(), 30'000, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    // With one rank the requests are MPICH's, which does not pass all these checks.
    if (world.size() > 1) check_inactive(request);
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    for (int flag = 0; flag == 0;) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(std::ranges::count(out, world.size() * (world.size() - 1) / 2) == std::ssize(out));
    if (world.size() > 1) check_inactive(request);
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    if (world.size() > 1) { // a refused start changes neither the operation under way nor later ones
      set_unnamed_errhandler(MPI_ERRORS_RETURN);
      CHECK(MPI_Start(&request) == MPI_ERR_REQUEST);
      set_unnamed_errhandler(MPI_ERRORS_ARE_FATAL);
      CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK((MPI_Start(&request) == MPI_SUCCESS && is_carried(request)));
    } else if (is_open_mpi()) { // Open MPI refuses to free active requests
      CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
    CHECK(request == MPI_REQUEST_NULL);
    MPI_Barrier(comm);
  });
}

#endif
