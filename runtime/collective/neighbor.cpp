// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Neighbourhood collectives are messages between neighbours, as a program would send them. Only neighbours
// know the sizes and types of these messages, so no decision of all ranks depends on them.

#include "collective/dispatch.hpp"
#include "collective/moves.hpp"
#include "collective/neighbors.hpp"
#include "message/requests.hpp"
#include "native/attribute.hpp"
#include "pipeline/lane.hpp"
#include "ranks/communicator.hpp"
#include "ranks/mpi_error.hpp"
#include "ranks/request.hpp"
#include "transport/message.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>

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

/// Makes a communicator whose only process is its own neighbour `count` times. Each dimension of a Cartesian
/// grid gives two of these neighbours.
ranks::Communicator make_alone(int kind, int count) {
  static std::mutex making; // creation is collective over own(), which all threads share
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

/// Returns an order for Neighbors: the indices of the `count` sources, sorted by the number that comes from
/// each. `exchange(out, in)` sends the number i to neighbour i.
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

bool any_twice(std::vector<int> ranks) {
  std::erase(ranks, MPI_PROC_NULL);
  std::ranges::sort(ranks);
  return std::ranges::adjacent_find(ranks) != ranks.end();
}

/// The messages of one operation that are in flight on a shadow communicator.
class Messages {
public:
  Messages(team::Member& member, const Shadow& shadow, std::size_t most) : member_(member), shadow_(shadow) {
    under_way_.reserve(most);
  }

  /// Starts a message. Throws MpiError.
  void receive(const Part& part, int source) {
    start(part, source, true, shadow_.envelope(source, label),
          [](const message::PointToPoint& call, MPI_Request* request) {
            return message::start_receive(call, request);
          });
  }
  void send(const Part& part, int destination) {
    start(part, destination, false, shadow_.envelope(destination, label),
          [this](const message::PointToPoint& call, MPI_Request* request) {
            return message::start_send(member_, call, request);
          });
    shadow_.ring(destination);
  }

  /// Waits for all messages, in the MPI function `name`. Throws their first error, and PeerGaveUp.
  void wait(const char* name) {
    const auto are_over = [this] {
      std::erase_if(under_way_, [this](transport::Message& message) { return is_over(message); });
      return under_way_.empty();
    };
    pipeline::wait_until(are_over, name, member_, shadow_, team::Woken::by_mpi);
    if (failed_ == MPI_SUCCESS) return;
    int error_class = MPI_SUCCESS;
    PMPI_Error_class(failed_, &error_class);
    if (error_class == MPI_ERR_TRUNCATE) throw ranks::Truncated(shadow_.user());
    throw ranks::MpiError(shadow_.user(), failed_);
  }

  /// After an error: gives up the shadow. Returns when each message is complete or its peer has given up too.
  void abandon() noexcept {
    shadow_.failure().give_up();
    member_.lend_until(
        [this] {
          shadow_.failure().sweep();
          std::erase_if(under_way_,
                        [this](transport::Message& message) { return is_over(message) || is_left(message); });
          return under_way_.empty();
        },
        [this] { return transport::describe_stall("what is left of it", shadow_.user(), shadow_.name()); },
        team::Woken::by_mpi);
  }

private:
  static inline const int label = tag(MessageKind::move, 0);

  template <class Start>
  void start(const Part& part, int peer, bool incoming, Shadow::ShadowEnvelope envelope,
             const Start& start_one) {
    transport::Message& message =
        under_way_.emplace_back(transport::Message{MPI_REQUEST_NULL, peer, incoming});
    const int code = message::code_of([&] { // errors name the shadow's communicator
      return start_one({part.address(), part.count, part.type, envelope.peer, envelope.tag, shadow_.comm()},
                       &message.request);
    });
    if (code == MPI_SUCCESS) return;
    under_way_.pop_back();
    throw ranks::MpiError(shadow_.user(), code);
  }

  bool is_over(transport::Message& message) {
    const auto test = [&](int* done) {
      return message::code_of([&] {
        return message::test_one(member_, &message.request, MPI_STATUS_IGNORE, done, shadow_.comm());
      });
    };
    if (!ranks::over_by(test, message.request, failed_)) return false;
    if (message.incoming) shadow_.ring(message.peer); // the peer's send may be complete only now
    return true;
  }

  /// Ends a message whose peer has given up. Returns true if a send is left to MPI, as MPI cannot cancel it.
  bool is_left(transport::Message& message) {
    if (!shadow_.failure().gave_up(message.peer)) return false;
    if (message.incoming) {
      if (!message::cancel(member_, &message.request)) PMPI_Cancel(&message.request);
      return false; // the request completes at the next look
    }
    if (const auto operation = message::requests::find(&message.request)) {
      operation->rescue();
      return false;
    }
    PMPI_Request_free(&message.request);
    shadow_.failure().leave_behind();
    return true;
  }

  team::Member& member_;
  const Shadow& shadow_;
  std::vector<transport::Message> under_way_;
  int failed_ = MPI_SUCCESS; // the first error of a message
};

/// Performs the operation `name`. It posts receives in the `order` of Neighbors. `out(neighbors)` and
/// `in(neighbors)` return the parts of the send and receive buffers for that number of neighbours.
template <class Out, class In>
std::optional<int> exchange(const char* name, std::vector<std::size_t> Neighbors::*order,
                            team::Member& member, MPI_Comm comm, const Out& out, const In& in) {
  if (comm == MPI_COMM_NULL || !Neighbors::are_defined(comm)) return member.decline(reason::arguments);
  const Shadow* const shadow = Shadow::of(comm, member);
  if (shadow == nullptr) return member.decline(reason::shadow);
  const Neighbors& neighbors = Neighbors::of(comm);
  const std::vector<Part> sent = out(static_cast<int>(neighbors.destinations.size()));
  const std::vector<Part> received = in(static_cast<int>(neighbors.sources.size()));
  if (!acceptable(sent) || !acceptable(received)) return member.decline(reason::arguments);
  Messages messages(member, *shadow, sent.size() + received.size());
  try {
    for (const std::size_t index : neighbors.*order) {
      const int source = neighbors.sources[index];
      if (source != MPI_PROC_NULL) messages.receive(received[index], source);
    }
    for (std::size_t index = 0; index < sent.size(); ++index) {
      const int destination = neighbors.destinations[index];
      if (destination != MPI_PROC_NULL) messages.send(sent[index], destination);
    }
    messages.wait(name);
  } catch (const ranks::Truncated&) {
    throw;
  } catch (...) {
    messages.abandon();
    throw;
  }
  return MPI_SUCCESS;
}

/// Returns a function of the number of neighbours, which returns the same part for each.
auto same_to(const void* base, MPI_Count count, MPI_Datatype type) {
  return [=](int neighbors) {
    return std::vector<Part>(static_cast<std::size_t>(neighbors), part(base, count, type));
  };
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

std::optional<int> neighbor_allgather(team::Member& member, const void* send, MPI_Count send_count,
                                      MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                                      MPI_Datatype receive_type, MPI_Comm comm) {
  return exchange("MPI_Neighbor_allgather", &Neighbors::order, member, comm,
                  same_to(send, send_count, send_type), parts_in(receive, receive_count, receive_type));
}

std::optional<int> neighbor_allgatherv(team::Member& member, const void* send, MPI_Count send_count,
                                       MPI_Datatype send_type, void* receive, Integers receive_counts,
                                       Integers displacements, MPI_Datatype receive_type, MPI_Comm comm) {
  return exchange("MPI_Neighbor_allgatherv", &Neighbors::order, member, comm,
                  same_to(send, send_count, send_type),
                  parts_in(receive, receive_counts, displacements, receive_type));
}

std::optional<int> neighbor_alltoall(team::Member& member, const void* send, MPI_Count send_count,
                                     MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                                     MPI_Datatype receive_type, MPI_Comm comm) {
  return exchange("MPI_Neighbor_alltoall", &Neighbors::order, member, comm,
                  parts_in(send, send_count, send_type), parts_in(receive, receive_count, receive_type));
}

std::optional<int> neighbor_alltoallv(team::Member& member, const void* send, Integers send_counts,
                                      Integers send_displacements, MPI_Datatype send_type, void* receive,
                                      Integers receive_counts, Integers receive_displacements,
                                      MPI_Datatype receive_type, MPI_Comm comm) {
  return exchange("MPI_Neighbor_alltoallv", &Neighbors::vector_order, member, comm,
                  parts_in(send, send_counts, send_displacements, send_type),
                  parts_in(receive, receive_counts, receive_displacements, receive_type));
}

std::optional<int> neighbor_alltoallw(team::Member& member, const void* send, Integers send_counts,
                                      Integers send_displacements, const MPI_Datatype* send_types,
                                      void* receive, Integers receive_counts, Integers receive_displacements,
                                      const MPI_Datatype* receive_types, MPI_Comm comm) {
  return exchange("MPI_Neighbor_alltoallw", &Neighbors::vector_order, member, comm,
                  parts_in(send, send_counts, send_displacements, send_types),
                  parts_in(receive, receive_counts, receive_displacements, receive_types));
}

} // namespace helper::collective
