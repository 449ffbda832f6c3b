// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Neighbourhood collectives that do not block. All ranks of the communicator count them, be they neighbours
// or not, so that what decides is known to all: not how much there is, see neighbor.cpp.

#include <algorithm>
#include <numeric>
#include <utility>

#include "collective/neighbors.hpp"
#include "collective/nonblocking.hpp"

namespace helper::collective {

namespace {

/// Says what one of these operations is, as a rank sees it.
struct NonblockingExchange {
  Operation operation;
  const char* name;
  team::Member& member;
  MPI_Comm comm;
  const Making& making;

  /// Makes it; `participation(shadow, neighbors)` returns what the rank does in it, or nothing if MPI is to
  /// judge the arguments.
  template <class Participate>
  std::optional<int> carry(const Participate& participation) const {
    if (comm != MPI_COMM_NULL && !Neighbors::are_defined(comm)) return member.decline(reason::arguments);
    const Shadow* const shadow = find_shadow(member, comm, making);
    if (shadow == nullptr) return std::nullopt;
    if (select(operation, situation(*shadow, 0)) == Algorithm::native)
      return member.decline(reason::selection);
    std::optional<Participation> move = participation(*shadow, Neighbors::of(comm));
    if (!move) return member.decline(reason::arguments);
    move->name = name;
    return make(member, *shadow, std::move(*move), making);
  }

  /// Gives the same part to all neighbours; `in(neighbors)` returns the parts for so many.
  template <class In>
  std::optional<int> allgather(const Part& mine, const In& in) const;

  /// Gives each neighbour a part; `out(neighbors)` and `in(neighbors)` return the parts for so many, of which
  /// those from one rank stand in `order` as that sends them.
  template <class Out, class In>
  std::optional<int> alltoall(std::vector<std::size_t> Neighbors::*order, const Out& out, const In& in) const;
};

template <class In>
std::optional<int> NonblockingExchange::allgather(const Part& mine, const In& in) const {
  return carry([&](const Shadow&, const Neighbors& neighbors) -> std::optional<Participation> {
    const std::vector<Part> received = in(static_cast<int>(neighbors.sources.size()));
    const bool gives = !neighbors.destinations.empty();
    if ((gives && !acceptable({mine})) || !acceptable(received)) return std::nullopt;
    Participation move{};
    if (gives) move.contribution = mine;
    move.readers = neighbors.destinations;
    std::erase(move.readers, MPI_PROC_NULL);
    for (std::size_t index = 0; index < received.size(); ++index) {
      const int source = neighbors.sources[index];
      if (source != MPI_PROC_NULL) move.take(source, received[index].bytes, 0, received[index]);
    }
    return move;
  });
}

/// Has the rank contribute these parts, one to each of `destinations`.
void address(Participation& move, const std::vector<int>& destinations, const std::vector<Part>& parts) {
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t index) { return destinations[index] == MPI_PROC_NULL; });
  std::ranges::sort(order, {}, [&](std::size_t index) { return std::pair(destinations[index], index); });
  move.addressed.emplace().reserve(order.size());
  move.readers.reserve(order.size());
  for (const std::size_t index : order) {
    move.readers.push_back(destinations[index]);
    move.addressed->push_back(parts[index]);
  }
}

/// Has the rank take these parts, one from each of `sources`, of which those from one rank lie there in this
/// order.
void take_addressed(Participation& move, int ranks, const std::vector<int>& sources,
                    const std::vector<std::size_t>& order, const std::vector<Part>& parts) {
  std::vector<std::size_t> all(static_cast<std::size_t>(ranks)); // the bytes from each rank
  std::vector<std::size_t> begins(all);                          // of the next part among these
  for (std::size_t index = 0; index < parts.size(); ++index) {
    if (sources[index] != MPI_PROC_NULL) all[static_cast<std::size_t>(sources[index])] += parts[index].bytes;
  }
  move.takings.reserve(order.size());
  move.results.reserve(order.size());
  for (const std::size_t index : order) {
    if (sources[index] == MPI_PROC_NULL) continue;
    const auto source = static_cast<std::size_t>(sources[index]);
    move.take(sources[index], all[source], begins[source], parts[index]);
    begins[source] += parts[index].bytes;
  }
}

template <class Out, class In>
std::optional<int> NonblockingExchange::alltoall(std::vector<std::size_t> Neighbors::*order, const Out& out,
                                                 const In& in) const {
  return carry([&](const Shadow& shadow, const Neighbors& neighbors) -> std::optional<Participation> {
    const std::vector<Part> sent = out(static_cast<int>(neighbors.destinations.size()));
    const std::vector<Part> received = in(static_cast<int>(neighbors.sources.size()));
    if (!acceptable(sent) || !acceptable(received)) return std::nullopt;
    Participation move{};
    address(move, neighbors.destinations, sent);
    take_addressed(move, shadow.size(), neighbors.sources, neighbors.*order, received);
    return move;
  });
}

} // namespace

std::optional<int> ineighbor_allgather(team::Member& member, const void* send, MPI_Count send_count,
                                       MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                                       MPI_Datatype receive_type, MPI_Comm comm, const Making& making) {
  const NonblockingExchange exchange{Operation::ineighbor_allgather, "MPI_Ineighbor_allgather", member, comm,
                                     making};
  return exchange.allgather(part(send, send_count, send_type), [&](int neighbors) {
    return parts(neighbors, receive, receive_count, receive_type);
  });
}

std::optional<int> ineighbor_allgatherv(team::Member& member, const void* send, MPI_Count send_count,
                                        MPI_Datatype send_type, void* receive, Integers receive_counts,
                                        Integers displacements, MPI_Datatype receive_type, MPI_Comm comm,
                                        const Making& making) {
  const NonblockingExchange exchange{Operation::ineighbor_allgatherv, "MPI_Ineighbor_allgatherv", member,
                                     comm, making};
  return exchange.allgather(part(send, send_count, send_type), [&](int neighbors) {
    return parts(neighbors, receive, receive_counts, displacements, receive_type);
  });
}

std::optional<int> ineighbor_alltoall(team::Member& member, const void* send, MPI_Count send_count,
                                      MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                                      MPI_Datatype receive_type, MPI_Comm comm, const Making& making) {
  const NonblockingExchange exchange{Operation::ineighbor_alltoall, "MPI_Ineighbor_alltoall", member, comm,
                                     making};
  return exchange.alltoall(
      &Neighbors::order, [&](int neighbors) { return parts(neighbors, send, send_count, send_type); },
      [&](int neighbors) { return parts(neighbors, receive, receive_count, receive_type); });
}

std::optional<int> ineighbor_alltoallv(team::Member& member, const void* send, Integers send_counts,
                                       Integers send_displacements, MPI_Datatype send_type, void* receive,
                                       Integers receive_counts, Integers receive_displacements,
                                       MPI_Datatype receive_type, MPI_Comm comm, const Making& making) {
  const NonblockingExchange exchange{Operation::ineighbor_alltoallv, "MPI_Ineighbor_alltoallv", member, comm,
                                     making};
  return exchange.alltoall(
      &Neighbors::vector_order,
      [&](int neighbors) { return parts(neighbors, send, send_counts, send_displacements, send_type); },
      [&](int neighbors) {
        return parts(neighbors, receive, receive_counts, receive_displacements, receive_type);
      });
}

std::optional<int> ineighbor_alltoallw(team::Member& member, const void* send, Integers send_counts,
                                       Integers send_displacements, const MPI_Datatype* send_types,
                                       void* receive, Integers receive_counts, Integers receive_displacements,
                                       const MPI_Datatype* receive_types, MPI_Comm comm,
                                       const Making& making) {
  const NonblockingExchange exchange{Operation::ineighbor_alltoallw, "MPI_Ineighbor_alltoallw", member, comm,
                                     making};
  return exchange.alltoall(
      &Neighbors::vector_order,
      [&](int neighbors) { return parts(neighbors, send, send_counts, send_displacements, send_types); },
      [&](int neighbors) {
        return parts(neighbors, receive, receive_counts, receive_displacements, receive_types);
      });
}

} // namespace helper::collective
