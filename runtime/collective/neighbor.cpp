// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Neighbourhood collectives are messages between neighbours, as a program would send them. Only neighbours
// know their sizes and types, so no decision of all ranks depends on these.

#include "collective/dispatch.hpp"
#include "collective/moves.hpp"
#include "collective/neighbors.hpp"
#include "message/requests.hpp"
#include "pipeline/lane.hpp"
#include "ranks/request.hpp"
#include "transport/message.hpp"

namespace helper::collective {

namespace {

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

  /// Waits for all of them, in the MPI function `name`. Throws the first error, and PeerGaveUp.
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

  /// After an error: gives up the shadow, and returns when messages are complete or their peers gave up.
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
    const int code = message::code_of([&] { // an error is of the shadow's communicator
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
    if (message.incoming) shadow_.ring(message.peer); // MPI may release its sender only now
    return true;
  }

  /// Ends a message whose peer has given up. Returns true if it is left to MPI, which cannot cancel sends.
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
  int failed_ = MPI_SUCCESS; // the first error of those that have finished
};

/// Performs the operation `name`, which receives in that order. `out(neighbors)` and `in(neighbors)` return
/// the parts of the buffers for that number of neighbours.
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
