// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Non-blocking and persistent neighbourhood collectives.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "collective/completed.hpp"
#include "collective/neighbor_cases.hpp"
#include "collective/neighbor_exchange.hpp"
#include "support/catch.hpp"

using namespace test_support;
using namespace test_support::moves;

namespace {

/// All are carried, unless the run says otherwise: the table would leave them to MPI.
const bool is_wished = [] {
  const std::string wish = "ineighbor_allgather=cma,ineighbor_allgatherv=cma,ineighbor_alltoall=cma,"
                           "ineighbor_alltoallv=cma,ineighbor_alltoallw=cma";
  setenv("MPI_HELPER_ALGORITHM", wish.c_str(), 0);
  return wish == std::getenv("MPI_HELPER_ALGORITHM");
}();

/// Whether a request should be the library's on communicators of all ranks.
bool must_be_carried() {
  return is_wished && Comm(MPI_COMM_WORLD).size() > 1;
}

/// Begins an operation, which the library carries.
template <auto Start>
constexpr auto carried = [](const auto&... arguments) {
  const int code = Start(arguments...);
  const MPI_Request* const request = std::get<sizeof...(arguments) - 1>(std::tie(arguments...));
  CHECK(is_carried(*request) == must_be_carried());
  return code;
};

std::vector<Operation> nonblocking_operations() {
  using enum Form;
  using enum Pattern;
  const Form one = consecutive;
  // clang-format off
  return {
      {"Ineighbor_allgather", allgather, true, one, consecutive, to_all(completed<carried<MPI_Ineighbor_allgather>>),
       to_all(PMPI_Neighbor_allgather)},
      {"Ineighbor_allgatherv", allgather, false, one, placed,
       allgatherv<int>(completed<carried<MPI_Ineighbor_allgatherv>>), allgatherv<int>(PMPI_Neighbor_allgatherv)},
      {"Ineighbor_alltoall", alltoall, true, consecutive, consecutive,
       to_all(completed<carried<MPI_Ineighbor_alltoall>>), to_all(PMPI_Neighbor_alltoall)},
      {"Ineighbor_alltoallv", alltoall, false, placed, placed,
       alltoallv<int>(completed<carried<MPI_Ineighbor_alltoallv>>), alltoallv<int>(PMPI_Neighbor_alltoallv)},
      {"Ineighbor_alltoallw", alltoall, false, typed, typed,
       neighbor_alltoallw<int>(completed<carried<MPI_Ineighbor_alltoallw>>),
       native_alltoallw<int>(PMPI_Neighbor_alltoallw)},
#if MPI_VERSION >= 4
      {"Ineighbor_allgather_c", allgather, true, one, consecutive,
       to_all(completed<carried<MPI_Ineighbor_allgather_c>>), to_all(PMPI_Neighbor_allgather_c)},
      {"Ineighbor_allgatherv_c", allgather, false, one, placed,
       allgatherv<MPI_Count>(completed<carried<MPI_Ineighbor_allgatherv_c>>),
       allgatherv<MPI_Count>(PMPI_Neighbor_allgatherv_c)},
      {"Ineighbor_alltoall_c", alltoall, true, consecutive, consecutive,
       to_all(completed<carried<MPI_Ineighbor_alltoall_c>>), to_all(PMPI_Neighbor_alltoall_c)},
      {"Ineighbor_alltoallv_c", alltoall, false, placed, placed,
       alltoallv<MPI_Count>(completed<carried<MPI_Ineighbor_alltoallv_c>>),
       alltoallv<MPI_Count>(PMPI_Neighbor_alltoallv_c)},
      {"Ineighbor_alltoallw_c", alltoall, false, typed, typed,
       neighbor_alltoallw<MPI_Count>(completed<carried<MPI_Ineighbor_alltoallw_c>>),
       native_alltoallw<MPI_Count>(PMPI_Neighbor_alltoallw_c)},
      {"Neighbor_allgather_init", allgather, true, one, consecutive,
       to_all(started_and_completed<MPI_Neighbor_allgather_init>), to_all(PMPI_Neighbor_allgather)},
      {"Neighbor_allgatherv_init", allgather, false, one, placed,
       allgatherv<int>(started_and_completed<MPI_Neighbor_allgatherv_init>), allgatherv<int>(PMPI_Neighbor_allgatherv)},
      {"Neighbor_alltoall_init", alltoall, true, consecutive, consecutive,
       to_all(started_and_completed<MPI_Neighbor_alltoall_init>), to_all(PMPI_Neighbor_alltoall)},
      {"Neighbor_alltoallv_init", alltoall, false, placed, placed,
       alltoallv<int>(started_and_completed<MPI_Neighbor_alltoallv_init>), alltoallv<int>(PMPI_Neighbor_alltoallv)},
      {"Neighbor_alltoallw_init", alltoall, false, typed, typed,
       neighbor_alltoallw<int>(started_and_completed<MPI_Neighbor_alltoallw_init>),
       native_alltoallw<int>(PMPI_Neighbor_alltoallw)},
      {"Neighbor_allgather_init_c", allgather, true, one, consecutive,
       to_all(started_and_completed<MPI_Neighbor_allgather_init_c>), to_all(PMPI_Neighbor_allgather)},
      {"Neighbor_allgatherv_init_c", allgather, false, one, placed,
       allgatherv<MPI_Count>(started_and_completed<MPI_Neighbor_allgatherv_init_c>),
       allgatherv<int>(PMPI_Neighbor_allgatherv)},
      {"Neighbor_alltoall_init_c", alltoall, true, consecutive, consecutive,
       to_all(started_and_completed<MPI_Neighbor_alltoall_init_c>), to_all(PMPI_Neighbor_alltoall)},
      {"Neighbor_alltoallv_init_c", alltoall, false, placed, placed,
       alltoallv<MPI_Count>(started_and_completed<MPI_Neighbor_alltoallv_init_c>),
       alltoallv<int>(PMPI_Neighbor_alltoallv)},
      {"Neighbor_alltoallw_init_c", alltoall, false, typed, typed,
       neighbor_alltoallw<MPI_Count>(started_and_completed<MPI_Neighbor_alltoallw_init_c>),
       native_alltoallw<int>(PMPI_Neighbor_alltoallw)},
#endif
  };
  // clang-format on
}

/// Topologies whose communicators the library knows.
std::vector<Topology> known_topologies(Helpers& helpers, Draw& shared) {
  std::vector<Topology> all = topologies(shared);
  helpers.phase([&] {
    for (const Topology& topology : all) MPI_Barrier(topology.comm);
  });
  return all;
}

/// Whether native MPI takes what MPI_Neighbor_alltoallw is given there; see alltoallw_by_messages(). It makes
/// persistent requests, and has what the table leaves to it.
bool has_alltoallw(const Topology& topology) {
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(topology.comm, &kind);
  return kind != MPI_DIST_GRAPH || alltoallw_works();
}

Draw own_draw() {
  return Draw(seed() + 1000 * static_cast<std::uint64_t>(Comm(MPI_COMM_WORLD).rank()));
}

} // namespace

TEST_CASE("Neighbours exchange without blocking what they do by native MPI") {
  Helpers helpers;
  Draw shared(seed());
  Draw own = own_draw();
  const auto all = nonblocking_operations();
  for (const Topology& topology : known_topologies(helpers, shared)) {
    for (const Operation& operation : all) {
      const std::string_view name = operation.name;
      const bool is_made_natively = name.starts_with("Neighbor") || !is_wished;
      if (name.find("alltoallw") != name.npos && is_made_natively && !has_alltoallw(topology)) continue;
      REQUIRE(difference(helpers, operation, topology, shared, own) == "");
    }
  }
}

TEST_CASE("Exchanges are under way at once, among other operations, and completed in any order") {
  Helpers helpers;
  Draw shared(seed());
  Draw own = own_draw();
  const std::vector<Topology> all = known_topologies(helpers, shared);
  for (int round = 0; round < 6; ++round) {
    std::vector<Exchange> exchanges;
    std::vector<std::vector<int>> expected;
    std::vector<const Comm*> comms;
    for (int number = 1 + shared.upto(20); number > 0; --number) {
      const Topology& topology = shared.of(all);
      const int kinds = is_wished || has_alltoallw(topology) ? Exchange::kinds : Exchange::kinds - 1;
      exchanges.emplace_back(topology, shared.upto(kinds - 1), 1 + shared.bytes(1 << 17) / 4, shared, own);
      expected.push_back(exchanges.back().by_native());
      comms.push_back(&topology.comm);
    }
    constexpr int count = 20'000;
    std::vector<std::vector<int>> sums(exchanges.size(), std::vector<int>(count, 1));
    std::vector<MPI_Request> requests(2 * exchanges.size(), MPI_REQUEST_NULL);
    const bool breaks_off = shared.coin();
    const auto complete = [&] { CHECK(complete_some_and_some(requests, own) == MPI_SUCCESS); };
    helpers.phase([&] {
      for (std::size_t i = 0; i < exchanges.size(); ++i) {
        CHECK(exchanges[i].begin(&requests[2 * i]) == MPI_SUCCESS);
        CHECK(is_carried(requests[2 * i]) == must_be_carried());
        MPI_Iallreduce(MPI_IN_PLACE, sums[i].data(), count, MPI_INT, MPI_SUM, *comms[i],
                       &requests[2 * i + 1]);
        if (shared.upto(4) == 0) MPI_Barrier(*comms[i]);
      }
      if (!breaks_off) complete();
    });
    if (breaks_off) complete(); // outside of the phase
    for (std::size_t i = 0; i < exchanges.size(); ++i) {
      CHECK(exchanges[i].result() == expected[i]);
      CHECK(std::ranges::count(sums[i], comms[i]->size()) == count);
    }
  }
}

TEST_CASE("Neighbours need nothing more of one that has begun an exchange, and then calls no MPI") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  if (world.size() == 1 || !is_wished) return;
  Draw shared(seed());
  Draw own = own_draw();
  const Topology ring = grid({0}, {1});
  get_to_know(helpers, ring.comm);
  for (int kind = 0; kind < Exchange::kinds; ++kind) {
    INFO("kind " << kind);
    const int away = world.size() - 1;
    Exchange exchange(ring, kind, 40'000, shared, own);
    const std::vector<int> expected = exchange.by_native();
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<int> result;
    helpers.phase([&] {
      CHECK(exchange.begin(&request) == MPI_SUCCESS);
      if (world.rank() == away) {
        // By MPI's own function, so that the library learns nothing.
        for (int rank = 0; rank < away; ++rank)
          PMPI_Recv(nullptr, 0, MPI_INT, rank, 3, world, MPI_STATUS_IGNORE);
      }
      CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      result = exchange.result();
      exchange.spoil();
      if (world.rank() != away) PMPI_Send(nullptr, 0, MPI_INT, away, 3, world);
    });
    CHECK(result == expected);
  }
}

TEST_CASE("An exchange needs nothing of ranks that are no neighbours") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  if (world.size() < 3 || !is_wished) return;
  Draw shared(seed());
  Draw own = own_draw();
  const int alone = world.size() - 1; // the others are a ring, one way
  const int next = (world.rank() + 1) % alone;
  const int previous = (world.rank() + alone - 1) % alone;
  const int degree = world.rank() == alone ? 0 : 1;
  const int weight = 1;
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Dist_graph_create_adjacent(world, degree, &previous, &weight, degree, &next, &weight, MPI_INFO_NULL, 0,
                                  &comm);
  using Ranks = std::vector<int>;
  const Topology topology{Comm(comm), degree == 0 ? Ranks{} : Ranks{previous},
                          degree == 0 ? Ranks{} : Ranks{next}};
  get_to_know(helpers, topology.comm);
  for (int kind = 0; kind < Exchange::kinds; ++kind) {
    INFO("kind " << kind);
    Exchange exchange(topology, kind, 40'000, shared, own);
    MPI_Request request = MPI_REQUEST_NULL;
    helpers.phase([&] {
      for (int rank = 0; world.rank() == alone && rank < alone; ++rank)
        PMPI_Recv(nullptr, 0, MPI_INT, rank, 3, world, MPI_STATUS_IGNORE);
      CHECK(exchange.begin(&request) == MPI_SUCCESS);
      CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      if (world.rank() != alone) PMPI_Send(nullptr, 0, MPI_INT, alone, 3, world);
    });
    // Where there are no neighbours Open MPI rejects null pointers.
    if (world.rank() != alone || !is_open_mpi()) CHECK(exchange.result() == exchange.by_native());
  }
}

namespace {

/// What neighbours on a ring exchange at absolute addresses, by `exchange` with the arguments of
/// MPI_Neighbor_alltoallw. Its types are freed when it has begun; it is completed by `complete`.
template <class Begin, class Complete>
std::vector<int> exchange_at_addresses(const Topology& ring, const Begin& begin, const Complete& complete) {
  constexpr int count = 20'000;
  std::vector<int> out(4 * count), in(out.size(), -1);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int>(i) + 100'000 * ring.comm.rank();
  const std::array counts{1, 1};
  const std::array<MPI_Aint, 2> places{0, 0};
  {
    const Type from[] = {at_address(out, 0, count), at_address(out, 2 * count, count)},
               to[] = {at_address(in, 1, count), at_address(in, 2 * count + 1, count)};
    const std::array<MPI_Datatype, 2> out_types{from[0], from[1]}, in_types{to[0], to[1]};
    CHECK(begin(MPI_BOTTOM, counts.data(), places.data(), out_types.data(), MPI_BOTTOM, counts.data(),
                places.data(), in_types.data(), MPI_Comm(ring.comm)) == MPI_SUCCESS);
  }
  CHECK(complete() == MPI_SUCCESS);
  return in;
}

} // namespace

TEST_CASE("Neighbours exchange without blocking what lies at absolute addresses, by types that are freed") {
  Helpers helpers;
  const Topology ring = grid({0}, {1});
  get_to_know(helpers, ring.comm);
  const std::vector<int> expected =
      exchange_at_addresses(ring, PMPI_Neighbor_alltoallw, [] { return MPI_SUCCESS; });
  std::vector<int> in;
  MPI_Request request = MPI_REQUEST_NULL;
  const auto wait = [&] { return MPI_Wait(&request, MPI_STATUS_IGNORE); };
  const auto begin = [&](const auto&... arguments) {
    return MPI_Ineighbor_alltoallw(arguments..., &request);
  };
  helpers.phase([&] { in = exchange_at_addresses(ring, begin, wait); });
  CHECK(in == expected);
#if MPI_VERSION >= 4
  const auto make = [&](const auto&... arguments) {
    return MPI_Neighbor_alltoallw_init(arguments..., MPI_INFO_NULL, &request);
  };
  const auto start_and_wait = [&] {
    MPI_Start(&request);
    CHECK(is_carried(request) == must_be_carried());
    const int code = wait();
    MPI_Request_free(&request);
    return code;
  };
  helpers.phase([&] { in = exchange_at_addresses(ring, make, start_and_wait); });
  CHECK(in == expected);
#endif
}

TEST_CASE("The communicator of neighbours may be freed while they exchange") {
  Helpers helpers;
  Draw shared(seed());
  Draw own = own_draw();
  for (int repetition = 0; repetition < 40; ++repetition) { // of more communicators than there are frames
    std::optional<Topology> ring = grid({0}, {1});
    Exchange exchange(*ring, repetition % Exchange::kinds, 20'000, shared, own);
    const std::vector<int> expected = exchange.by_native();
    MPI_Request request = MPI_REQUEST_NULL;
    helpers.phase([&] {
      MPI_Barrier(ring->comm);
      CHECK(exchange.begin(&request) == MPI_SUCCESS);
      CHECK(is_carried(request) == must_be_carried());
      ring.reset();
      CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    });
    CHECK(exchange.result() == expected);
  }
}

TEST_CASE("A neighbour that expects another amount learns so, and the next exchange is good") {
  const Topology ring = grid({0}, {1});
  if (ring.comm.size() < 2 || !is_wished) return;
  Helpers helpers;
  set_unnamed_errhandler(MPI_ERRORS_RETURN);
  get_to_know(helpers, ring.comm);
  constexpr int count = 30'000;
  std::vector<int> out(2 * count, 7), in(out);
  const bool is_wrong = ring.comm.rank() == 0;
  for (const int wrong : {count - 1, count + 1}) {
    int expected = is_wrong ? wrong : count;
    in.resize(2 * static_cast<std::size_t>(count + 1));
    for (const auto exchange : {MPI_Ineighbor_allgather, MPI_Ineighbor_alltoall}) {
      MPI_Request request = MPI_REQUEST_NULL;
      std::array<int, 2> codes{MPI_SUCCESS, MPI_ERR_OTHER};
      helpers.phase([&] {
        for (int& code : codes) {
          exchange(out.data(), count, MPI_INT, in.data(), expected, MPI_INT, ring.comm, &request);
          code = MPI_Wait(&request, MPI_STATUS_IGNORE);
          expected = count;
        }
      });
      CHECK(class_of(codes[0]) == (is_wrong ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
      CHECK(codes[1] == MPI_SUCCESS);
      expected = is_wrong ? wrong : count;
    }
  }
  set_unnamed_errhandler(MPI_ERRORS_ARE_FATAL);
}

TEST_CASE("Exchanges that native MPI rejects are rejected as by native MPI") {
  Helpers helpers;
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const Topology ring = grid({0}, {1});
  get_to_know(helpers, ring.comm);
  std::array<int, 2> in{1, 2}, out{};
  const auto none = MPI_DATATYPE_NULL;
  const auto classes = [&](auto allgather, auto alltoall, auto... info) {
    MPI_Request request = MPI_REQUEST_NULL;
    const auto rejected = [&](auto function, int count, MPI_Datatype from, MPI_Datatype to, MPI_Comm comm) {
      return class_of(function(in.data(), count, from, out.data(), 1, to, comm, info..., &request));
    };
    return std::vector{rejected(allgather, 1, none, MPI_INT, ring.comm),
                       rejected(allgather, -1, MPI_INT, MPI_INT, ring.comm),
                       rejected(alltoall, 1, MPI_INT, none, ring.comm),
                       rejected(alltoall, 1, MPI_INT, MPI_INT, MPI_COMM_NULL),
                       rejected(alltoall, 1, MPI_INT, MPI_INT, MPI_COMM_SELF)};
  };
  std::vector<int> carried, native = classes(PMPI_Ineighbor_allgather, PMPI_Ineighbor_alltoall);
  helpers.phase([&] { carried = classes(MPI_Ineighbor_allgather, MPI_Ineighbor_alltoall); });
  REQUIRE(carried == native);
  REQUIRE(std::ranges::find(native, MPI_SUCCESS) == native.end());
#if MPI_VERSION >= 4
  native = classes(PMPI_Neighbor_allgather_init, PMPI_Neighbor_alltoall_init, MPI_INFO_NULL);
  helpers.phase(
      [&] { carried = classes(MPI_Neighbor_allgather_init, MPI_Neighbor_alltoall_init, MPI_INFO_NULL); });
  REQUIRE(carried == native);
#endif
}

#if MPI_VERSION >= 4
TEST_CASE("Each rank starts persistent exchanges in an order of its own, again and again") {
  Helpers helpers;
  Draw shared(seed());
  Draw own = own_draw();
  for (Topology& topology : topologies(shared)) {
    constexpr std::size_t number = 10;
    const int kinds = has_alltoallw(topology) ? Exchange::kinds : Exchange::kinds - 1;
    std::vector<Exchange> exchanges;
    for (std::size_t i = 0; i < number; ++i)
      exchanges.emplace_back(topology, static_cast<int>(i) % kinds, 1 + shared.bytes(1 << 16) / 4, shared,
                             own);
    std::vector<MPI_Request> requests(number, MPI_REQUEST_NULL);
    helpers.phase([&] {
      for (std::size_t i = 0; i < number; ++i) CHECK(exchanges[i].make(&requests[i]) == MPI_SUCCESS);
    });
    for (int round = 0; round < 3; ++round) {
      std::vector<std::vector<int>> expected;
      for (Exchange& exchange : exchanges) {
        exchange.draw(own);
        expected.push_back(exchange.by_native());
      }
      std::vector<MPI_Request> started = requests;
      own.shuffle(started);
      helpers.phase([&] {
        CHECK(MPI_Startall(static_cast<int>(number), started.data()) == MPI_SUCCESS);
        if (must_be_carried()) CHECK(std::ranges::count_if(started, is_carried) == std::ssize(started));
        own.shuffle(started);
        CHECK(MPI_Waitall(static_cast<int>(number), started.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
      });
      for (std::size_t i = 0; i < number; ++i) CHECK(exchanges[i].result() == expected[i]);
    }
    helpers.phase([&] {
      for (MPI_Request& request : requests) CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
    });
  }
}

TEST_CASE("An inactive persistent exchange is complete, and one freed while it is active ends") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  if (!must_be_carried()) return;
  Draw shared(seed());
  Draw own = own_draw();
  const Topology ring = grid({0}, {1});
  static std::vector<Exchange> exchanges; // what is freed while it is active may go on until MPI ends
  for (int kind = 0; kind < Exchange::kinds; ++kind) exchanges.emplace_back(ring, kind, 20'000, shared, own);
  helpers.phase([&] {
    for (Exchange& exchange : exchanges) {
      MPI_Request request = MPI_REQUEST_NULL;
      int flag = 0;
      CHECK(exchange.make(&request) == MPI_SUCCESS);
      CHECK((MPI_Test(&request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag != 0));
      CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK(MPI_Start(&request) == MPI_SUCCESS);
      CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK((MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag != 0));
      CHECK(MPI_Start(&request) == MPI_SUCCESS);
      CHECK(is_carried(request));
      CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
      CHECK(request == MPI_REQUEST_NULL);
    }
    MPI_Barrier(ring.comm);
  });
}
#endif
