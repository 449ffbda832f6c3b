// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Neighbourhood collectives on process topologies of all kinds.

#include <algorithm>
#include <array>
#include <vector>

#include "collective/move_cases.hpp"
#include "support/catch.hpp"

using namespace test_support;
using namespace test_support::moves;

namespace {

template <class Integer, class Function>
Call neighbor_alltoallw(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    return function(send, out.counts<Integer>(), out.places<MPI_Count>(), out.types(), receive,
                    in.counts<Integer>(), in.places<MPI_Count>(), in.types(), shape.comm);
  };
}

/// Does what MPI_Neighbor_alltoallw is defined to do on a distributed graph. MPICH 4.0.2's loses blocks,
/// crashes or waits for ever where a rank has more sources than destinations, or fewer.
int alltoallw_by_messages(MPI_Comm comm, const void* send, const Side& out, void* receive, const Side& in) {
  int in_count = 0, out_count = 0, is_weighted = 0;
  PMPI_Dist_graph_neighbors_count(comm, &in_count, &out_count, &is_weighted);
  const auto sources = static_cast<std::size_t>(in_count);
  const auto destinations = static_cast<std::size_t>(out_count);
  std::vector<int> ranks(sources + destinations + 1), weights(ranks);
  PMPI_Dist_graph_neighbors(comm, in_count, ranks.data(), weights.data(), out_count, &ranks[sources],
                            &weights[sources]);
  std::vector<MPI_Request> requests(sources + destinations);
  for (std::size_t at = 0; at < sources; ++at)
    PMPI_Irecv(static_cast<std::byte*>(receive) + in.places<MPI_Count>()[at], in.counts<int>()[at],
               in.types()[at], ranks[at], 0, comm, &requests[at]);
  for (std::size_t at = 0; at < destinations; ++at)
    PMPI_Isend(static_cast<const std::byte*>(send) + out.places<MPI_Count>()[at], out.counts<int>()[at],
               out.types()[at], ranks[sources + at], 0, comm, &requests[sources + at]);
  return PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

/// Whether native MPI can be compared with there. MPICH 4.2's receives the blocks of a neighbour that is
/// there several times in the reverse order, as its other functions do.
bool alltoallw_works() {
  static const bool works = library_version().starts_with("MPICH Version:      4.2");
  return works;
}

template <class Integer, class Function>
Call native_alltoallw(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(shape.comm, &kind);
    if (kind == MPI_DIST_GRAPH && !alltoallw_works())
      return alltoallw_by_messages(shape.comm, send, out, receive, in);
    return neighbor_alltoallw<Integer>(function)(shape, send, out, receive, in);
  };
}

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

/// A communicator with a topology, and the neighbours of this rank there, in the order of their blocks.
struct Topology {
  Comm comm;
  std::vector<int> sources;
  std::vector<int> destinations;
};

Topology grid(std::vector<int> dimensions, std::vector<int> periods) {
  const Comm world(MPI_COMM_WORLD);
  const auto count = static_cast<int>(dimensions.size());
  PMPI_Dims_create(world.size(), count, dimensions.data());
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Cart_create(world, count, dimensions.data(), periods.data(), 0, &comm);
  std::vector<int> neighbors;
  for (int dimension = 0; dimension < count; ++dimension) {
    int before = MPI_PROC_NULL, behind = MPI_PROC_NULL;
    PMPI_Cart_shift(comm, dimension, 1, &before, &behind);
    neighbors.insert(neighbors.end(), {before, behind});
  }
  return {Comm(comm), neighbors, neighbors};
}

/// Edges between ranks as many as drawn, some of them several times, and from ranks to themselves. With Open
/// MPI no rank is without sources or destinations, for which its version 5 wants counts and arrays as for
/// some, and otherwise returns MPI_ERR_TRUNCATE or MPI_ERR_BUFFER.
std::vector<std::vector<int>> draw_edges(Draw& shared, std::size_t ranks) {
  std::vector<std::vector<int>> edges(ranks, std::vector<int>(ranks));
  for (auto& from : edges)
    for (int& count : from) count = std::max(0, shared.upto(4) - 1);
  for (std::size_t rank = 0; rank < ranks && is_open_mpi(); ++rank) {
    int& count = edges[rank][(rank + 1) % ranks];
    count = std::max(count, 1);
  }
  return edges;
}

Topology distributed_graph(Draw& shared) {
  const Comm world(MPI_COMM_WORLD);
  const auto edges = draw_edges(shared, static_cast<std::size_t>(world.size()));
  Topology made{Comm(MPI_COMM_WORLD), {}, {}};
  for (int rank = 0; rank < world.size(); ++rank) {
    const auto self = static_cast<std::size_t>(world.rank());
    const auto other = static_cast<std::size_t>(rank);
    made.destinations.insert(made.destinations.end(), static_cast<std::size_t>(edges[self][other]), rank);
    made.sources.insert(made.sources.end(), static_cast<std::size_t>(edges[other][self]), rank);
  }
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  own.shuffle(made.sources);
  own.shuffle(made.destinations);
  MPI_Comm comm = MPI_COMM_NULL;
  const std::vector<int> weights(made.sources.size() + made.destinations.size() + 1, 1);
  PMPI_Dist_graph_create_adjacent(world, static_cast<int>(made.sources.size()), made.sources.data(),
                                  weights.data(), static_cast<int>(made.destinations.size()),
                                  made.destinations.data(), weights.data(), MPI_INFO_NULL, 0, &comm);
  return {Comm(comm), made.sources, made.destinations};
}

/// Every rank with the one before and the one behind, which may be the same, or it itself.
Topology ring_graph() {
  const Comm world(MPI_COMM_WORLD);
  const int size = world.size();
  std::vector<int> index, edges;
  for (int rank = 0; rank < size; ++rank) {
    edges.insert(edges.end(), {(rank + size - 1) % size, (rank + 1) % size});
    index.push_back(static_cast<int>(edges.size()));
  }
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Graph_create(world, size, index.data(), edges.data(), 0, &comm);
  const auto own = edges.begin() + 2 * world.rank();
  const std::vector<int> neighbors(own, own + 2);
  return {Comm(comm), neighbors, neighbors};
}

std::vector<Topology> topologies(Draw& shared) {
  std::vector<Topology> all;
  all.push_back(grid({0}, {1}));
  all.push_back(grid({0}, {0}));
  all.push_back(grid({0, 0}, {1, 0}));
  all.push_back(grid({0, 0, 1}, {1, 1, 0}));
  all.push_back(ring_graph());
  for (int graph = 0; graph < 3; ++graph) all.push_back(distributed_graph(shared));
  return all;
}

/// The sizes of the blocks from rank to rank, the same for all blocks between two.
std::vector<std::vector<int>> draw_sizes(const Operation& operation, Draw& shared, std::size_t ranks,
                                         int unit) {
  std::vector<std::vector<int>> sizes(ranks, std::vector<int>(ranks, unit));
  if (operation.regular) return sizes;
  const int least = operation.out == Form::typed ? 1 : 0; // MPICH wants a type also where there is nothing
  for (auto& from : sizes) {
    for (int& ints : from) ints = unit * (least + shared.upto(3));
    if (operation.pattern == Pattern::allgather) std::ranges::fill(from, unit);
  }
  return sizes;
}

} // namespace

TEST_CASE("Neighbours exchange by the team what they do by native MPI") {
  Helpers helpers;
  Draw shared(seed());
  const auto all = neighbor_operations();
  for (const Topology& topology : topologies(shared)) {
    const auto self = static_cast<std::size_t>(topology.comm.rank());
    Draw own(seed() + 1000 * self);
    for (const Operation& operation : all) {
      for (int repetition = 0; repetition < 2; ++repetition) {
        const int unit = 1 + shared.bytes(1 << 17) / 4;
        const auto ranks = static_cast<std::size_t>(topology.comm.size());
        const auto sizes = draw_sizes(operation, shared, ranks, unit);
        std::vector<int> gives, gets;
        for (const int rank : topology.destinations)
          gives.push_back(rank < 0 ? unit : sizes[self][static_cast<std::size_t>(rank)]);
        for (const int rank : topology.sources)
          gets.push_back(rank < 0 ? unit : sizes[static_cast<std::size_t>(rank)][self]);
        if (operation.pattern == Pattern::allgather) gives = {unit};
        const Shape shape{topology.comm, 0, false, unit, {}};
        INFO(topology.sources.size() << " sources, " << topology.destinations.size() << " destinations");
        const auto in_phase = [&](const auto& call) { helpers.phase(call); };
        const std::string wrong = difference(in_phase, operation, shape, own, gives, gets, false);
        INFO(wrong);
        REQUIRE(wrong.empty());
      }
    }
  }
}

TEST_CASE("Neighbours exchange what lies at absolute addresses") {
  Helpers helpers;
  const Topology ring = grid({0}, {1});
  constexpr int count = 20'000;
  const auto at = [&](std::vector<int>& values, std::size_t first) {
    MPI_Aint place = 0;
    PMPI_Get_address(&values[first], &place);
    const Type odd(PMPI_Type_vector, count, 1, 2, MPI_INT);
    return Type(PMPI_Type_create_hindexed_block, 1, 1, &place, odd);
  };
  const auto exchange = [&](auto function) {
    std::vector<int> out(4 * count), in(out.size(), -1);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int>(i) + 100'000 * ring.comm.rank();
    const Type from[] = {at(out, 0), at(out, 2 * count)}, to[] = {at(in, 1), at(in, 2 * count + 1)};
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
  if (ring.comm.size() < 2) return; // MPICH does not report it of messages to oneself
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
