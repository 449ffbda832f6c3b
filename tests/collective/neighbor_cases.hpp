// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <vector>

#include "collective/move_cases.hpp"

/// Compares neighbourhood collectives with native MPI, on process topologies of all kinds.
namespace test_support::moves {

template <class Integer, class Function>
Call neighbor_alltoallw(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    return function(send, out.counts<Integer>(), out.places<MPI_Count>(), out.types(), receive,
                    in.counts<Integer>(), in.places<MPI_Count>(), in.types(), shape.comm);
  };
}

/// Does by messages what MPI_Neighbor_alltoallw must do on a distributed graph. If a rank has more sources
/// than destinations, or fewer, that function of MPICH 4.0.2 loses blocks, crashes or hangs.
inline int alltoallw_by_messages(MPI_Comm comm, const void* send, const Side& out, void* receive,
                                 const Side& in) {
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

/// Returns whether MPI_Neighbor_alltoallw itself can be the oracle on a distributed graph: only with MPICH
/// 4.2. If a rank lists a neighbour several times, all neighbourhood functions of MPICH 4.2 receive its
/// blocks in reverse order, unlike alltoallw_by_messages().
inline bool alltoallw_works() {
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

/// A communicator with a topology, and the neighbours of this rank in the order of their blocks.
struct Topology {
  Comm comm;
  std::vector<int> sources;
  std::vector<int> destinations;
};

inline Topology grid(std::vector<int> dimensions, std::vector<int> periods) {
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

/// Draws the number of edges from each rank to each rank, itself included. With Open MPI every rank has a
/// source and a destination: a rank without neighbours must pass counts and arrays to Open MPI 5 all the
/// same, or gets MPI_ERR_TRUNCATE or MPI_ERR_BUFFER.
inline std::vector<std::vector<int>> draw_edges(Draw& shared, std::size_t ranks) {
  std::vector<std::vector<int>> edges(ranks, std::vector<int>(ranks));
  for (auto& from : edges)
    for (int& count : from) count = std::max(0, shared.upto(4) - 1);
  for (std::size_t rank = 0; rank < ranks && is_open_mpi(); ++rank) {
    int& count = edges[rank][(rank + 1) % ranks];
    count = std::max(count, 1);
  }
  return edges;
}

inline Topology distributed_graph(Draw& shared) {
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

/// Connects every rank with the previous and the next one. In small worlds both may be the same rank.
inline Topology ring_graph() {
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

inline std::vector<Topology> topologies(Draw& shared) {
  std::vector<Topology> all;
  all.push_back(grid({0}, {1}));
  all.push_back(grid({0}, {0}));
  all.push_back(grid({0, 0}, {1, 0}));
  all.push_back(grid({0, 0, 1}, {1, 1, 0}));
  all.push_back(ring_graph());
  for (int graph = 0; graph < 3; ++graph) all.push_back(distributed_graph(shared));
  return all;
}

/// Draws the size of the blocks from each rank to each rank. All blocks between two ranks are equal.
inline std::vector<std::vector<int>> draw_sizes(const Operation& operation, Draw& shared, std::size_t ranks,
                                                int unit) {
  std::vector<std::vector<int>> sizes(ranks, std::vector<int>(ranks, unit));
  if (operation.regular) return sizes;
  const int least = operation.out == Form::typed ? 1 : 0; // even for no elements MPICH requires a type
  for (auto& from : sizes) {
    for (int& ints : from) ints = unit * (least + shared.upto(3));
    if (operation.pattern == Pattern::allgather) std::ranges::fill(from, unit);
  }
  return sizes;
}

/// Makes a call of random size on the topology, in a phase and natively. Returns what differs, or "".
inline std::string difference(Helpers& helpers, const Operation& operation, const Topology& topology,
                              Draw& shared, Draw& own) {
  const auto self = static_cast<std::size_t>(topology.comm.rank());
  const int unit = 1 + shared.bytes(1 << 17) / 4;
  const auto sizes = draw_sizes(operation, shared, static_cast<std::size_t>(topology.comm.size()), unit);
  std::vector<int> gives, gets;
  for (const int rank : topology.destinations)
    gives.push_back(rank < 0 ? unit : sizes[self][static_cast<std::size_t>(rank)]);
  for (const int rank : topology.sources)
    gets.push_back(rank < 0 ? unit : sizes[static_cast<std::size_t>(rank)][self]);
  if (operation.pattern == Pattern::allgather) gives = {unit};
  const Shape shape{topology.comm, 0, false, unit, {}};
  const std::string wrong =
      difference([&](const auto& call) { helpers.phase(call); }, operation, shape, own, gives, gets, false);
  return wrong.empty() ? wrong
                       : fmt::format("{}, {} sources, {} destinations", wrong, gets.size(),
                                     topology.destinations.size());
}

} // namespace test_support::moves
