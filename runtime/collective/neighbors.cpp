// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/neighbors.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>

#include "native/attribute.hpp"
#include "ranks/communicator.hpp"
#include "ranks/mpi_error.hpp"

namespace helper::collective {

namespace {

constinit native::Attribute<Neighbors> neighbors_kept;

/// Returns the kind of the topology; MPI_UNDEFINED if there is none.
int topology_of(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
  ranks::check(PMPI_Topo_test(comm, &kind));
  return kind;
}

/// In each dimension the neighbours are the previous and the next rank, both for sending and for receiving.
void find_in_grid(MPI_Comm comm, std::vector<int>& neighbors) {
  int dimensions = 0;
  ranks::check(PMPI_Cartdim_get(comm, &dimensions));
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    int before = MPI_PROC_NULL;
    int behind = MPI_PROC_NULL;
    ranks::check(PMPI_Cart_shift(comm, dimension, 1, &before, &behind));
    neighbors.insert(neighbors.end(), {before, behind});
  }
}

void find_in_graph(MPI_Comm comm, std::vector<int>& neighbors) {
  const int rank = ranks::rank_in(comm);
  int count = 0;
  ranks::check(PMPI_Graph_neighbors_count(comm, rank, &count));
  neighbors.resize(static_cast<std::size_t>(count));
  ranks::check(PMPI_Graph_neighbors(comm, rank, count, neighbors.data()));
}

void find_in_distributed_graph(MPI_Comm comm, std::vector<int>& sources, std::vector<int>& destinations) {
  int in = 0;
  int out = 0;
  int is_weighted = 0;
  ranks::check(PMPI_Dist_graph_neighbors_count(comm, &in, &out, &is_weighted));
  sources.resize(static_cast<std::size_t>(in));
  destinations.resize(static_cast<std::size_t>(out));
  std::vector<int> in_weights(sources), out_weights(destinations);
  ranks::check(PMPI_Dist_graph_neighbors(comm, in, sources.data(), in_weights.data(), out,
                                         destinations.data(), out_weights.data()));
}

/// Makes a communicator of this process, `count` times its own neighbour; in a grid twice per dimension.
ranks::Communicator make_alone(int kind, int count) {
  static std::mutex making; // it is collective over own(), which all threads share
  const std::lock_guard lock(making);
  std::vector<int> edges(static_cast<std::size_t>(count));
  MPI_Comm made = MPI_COMM_NULL;
  if (kind == MPI_CART) {
    const std::vector<int> ones(edges.size() / 2, 1);
    ranks::check(PMPI_Cart_create(ranks::own(), count / 2, ones.data(), ones.data(), 0, &made));
  } else if (kind == MPI_GRAPH) {
    ranks::check(PMPI_Graph_create(ranks::own(), 1, &count, edges.data(), 0, &made));
  } else {
    ranks::check(PMPI_Dist_graph_create_adjacent(ranks::own(), count, edges.data(), MPI_UNWEIGHTED, count,
                                                 edges.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
  }
  return ranks::Communicator(made);
}

/// Returns an order as in Neighbors. In `exchange(out, in)` MPI sends the numbers `out` to each neighbour.
template <class Exchange>
std::vector<std::size_t> find_order(std::size_t count, const Exchange& exchange) {
  std::vector<int> out(count), in(count);
  std::iota(out.begin(), out.end(), 0);
  ranks::check(exchange(out.data(), in.data()));
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t source) { return in[source]; });
  return order;
}

/// Returns whether a rank is a neighbour several times.
bool any_twice(std::vector<int> ranks) {
  std::erase(ranks, MPI_PROC_NULL);
  std::ranges::sort(ranks);
  return std::ranges::adjacent_find(ranks) != ranks.end();
}

} // namespace

bool Neighbors::are_defined(MPI_Comm comm) {
  return topology_of(comm) != MPI_UNDEFINED;
}

Neighbors::Neighbors(MPI_Comm comm) {
  const int kind = topology_of(comm);
  if (kind == MPI_DIST_GRAPH) {
    find_in_distributed_graph(comm, sources, destinations);
  } else {
    kind == MPI_CART ? find_in_grid(comm, sources) : find_in_graph(comm, sources);
    destinations = sources;
  }
  order.resize(sources.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  vector_order = order;
  if (!any_twice(sources)) return;
  const ranks::Communicator alone = make_alone(kind, static_cast<int>(sources.size()));
  order = find_order(sources.size(), [&](const int* out, int* in) {
    return PMPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, alone);
  });
  const std::vector<int> counts(sources.size(), 1);
  std::vector<int> places(sources.size());
  std::iota(places.begin(), places.end(), 0);
  vector_order = find_order(sources.size(), [&](const int* out, int* in) {
    return PMPI_Neighbor_alltoallv(out, counts.data(), places.data(), MPI_INT, in, counts.data(),
                                   places.data(), MPI_INT, alone);
  });
}

const Neighbors& Neighbors::of(MPI_Comm comm) {
  Neighbors* kept = nullptr;
  ranks::check(neighbors_kept.get(comm, kept));
  if (kept != nullptr) return *kept;
  auto made = std::make_unique<Neighbors>(comm);
  const Neighbors& result = *made;
  ranks::check(neighbors_kept.set(comm, made));
  return result;
}

} // namespace helper::collective
