// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Blocking sends and receives, and the start of all sends and receives.

#include <algorithm>
#include <memory>
#include <utility>

#include "device/device.hpp"
#include "message/message.hpp"
#include "message/packed_bytes.hpp"
#include "message/peers.hpp"
#include "message/quick.hpp"
#include "message/rendezvous.hpp"
#include "message/requests.hpp"
#include "message/unexpected.hpp"
#include "message/wait.hpp"
#include "native/large_counts.hpp"
#include "ranks/arguments.hpp"
#include "ranks/mpi_error.hpp"
#include "ranks/thread_level.hpp"
#include "ranks/world.hpp"
#include "team/registry.hpp"

namespace helper::message {

namespace {

/// Tells the sender of a message to be received into `data` that it may announce messages.
void tell(const ReceiveBuffer& data, int source, MPI_Comm comm) {
  const layout::Layout* const layout = data.has_layout() ? &data.layout() : nullptr;
  if (data.size() < RendezvousSend::least_bytes(layout) || source < 0) return;
  peers::tell(ranks::charged_to(comm, [&] { return ranks::world::rank(comm, source); }));
}

/// Returns where a receive of at least `least` bytes stores, for a rendezvous; nothing if the receive is
/// smaller, or native MPI must check it. For `requests` see peers::be_ready().
std::optional<ReceiveBuffer> rendezvous_target(MPI_Count least, const PointToPoint& call,
                                               std::uint64_t requests) {
  const auto& [buffer, count, type, source, tag, comm] = call;
  if (layout::has_functions(type)) [[unlikely]]
    least = 0; // MPI cannot unpack the elements
  else if (!peers::announce())
    return std::nullopt;
  peers::be_ready(requests);
  if (count < std::min<MPI_Count>(least, 1) || source == MPI_PROC_NULL || comm == MPI_COMM_NULL ||
      !valid_data(buffer, count, type))
    return std::nullopt;
  MPI_Count element = 0;
  PMPI_Type_size_x(type, &element);
  if (least > 0 && (element == 0 || count < (least - 1) / element + 1)) return std::nullopt;
  ReceiveBuffer data =
      ranks::charged_to(comm, [&] { return ReceiveBuffer(call.target(), call.count, call.type); });
  tell(data, source, comm);
  return data;
}

/// Returns where MPI must receive the message of the call.
ranks::Elements native(const std::optional<ReceiveBuffer>& data, const PointToPoint& call) noexcept {
  const ranks::Elements wanted{call.target(), call.count, call.type};
  return data ? data->native(wanted) : wanted;
}

/// Returns the operation of a receive into `data`, if there are any.
std::shared_ptr<ReceiveOperation> operation_for(const std::optional<ReceiveBuffer>& data) {
  return data ? std::make_shared<ReceiveOperation>(*data) : nullptr;
}

/// Tracks the operation, if there is one, for `request`, when the receive `native` has been posted. Forgets
/// the unexpected message that it receives, if there is one.
void track(const std::shared_ptr<ReceiveOperation>& operation, MPI_Request native,
           const std::optional<unexpected::Queue::iterator>& message, MPI_Request request) noexcept {
  if (operation != nullptr) operation->set_request(native);
  if (message) {
    if (operation != nullptr) operation->set_origin((*message)->status, (*message)->resent_as.has_value());
    unexpected::forget(*message);
  }
  if (operation != nullptr) requests::track(request, operation);
}

/// Receives the message of a rendezvous into `data`.
int receive(team::Member& member, RendezvousReceive& in, const ReceiveBuffer& data, MPI_Comm comm) {
  if (trace::Track* const track = member.track()) track->went(trace::Way::carried);
  member.lend_until(
      [&] {
        while (in.advance(member, data)) {
        }
        return in.done();
      },
      [&] { return describe_wait(member, "MPI_Recv", comm); }, team::Woken::perhaps);
  return reported_to(comm, [&] { return Code{in.error(), true}; });
}

/// If an RTS has arrived, receives its message, corrects the status, stores the code and returns true.
bool receive_if_announced(team::Member& member, const ReceiveBuffer& data, MPI_Comm comm, MPI_Status& arrived,
                          int& code) {
  auto in = RendezvousReceive::of(data, arrived);
  if (!in) return false;
  code = receive(member, *in, data, comm);
  in->correct(arrived);
  return true;
}

/// Returns whether MPI alone sends a message, so that it is no candidate.
bool is_eager(const PointToPoint& call) noexcept {
  const auto bytes = RendezvousSend::eager_bytes(call);
  return bytes && !Rts::may_have(*bytes);
}

/// Returns where the receive stores if its buffer is too small for an announced message of its type.
std::optional<EagerReceive> as_eager(const PointToPoint& call) {
  // A receive of MPI_PACKED may get an RTS of any type. An RTS in GPU memory could not be found.
  if (call.type == MPI_PACKED || device::holds(call.buffer) || !peers::announce() ||
      layout::has_functions(call.type))
    return std::nullopt;
  auto bytes = RendezvousSend::eager_bytes(call);
  if (!bytes && !device::is_possible() && ranks::thread_level() != MPI_THREAD_MULTIPLE &&
      valid_data(call.buffer, call.count, call.type)) {
    if (layout::Layout::last(call.type) == nullptr) layout::Layout::of(call.type);
    const layout::Layout* const layout = layout::Layout::last(call.type);
    if (layout != nullptr && !layout->head_overlaps() && RendezvousSend::is_eager(*layout, call.count))
      return EagerReceive{call.target(), call.count, layout};
    bytes = RendezvousSend::eager_bytes(call); // known now if valid_data() has accepted a predefined type
  }
  return bytes ? std::optional(EagerReceive{call.target(), *bytes, nullptr}) : std::nullopt;
}

/// Starts an eager receive, under unexpected::lock(). For `requests` see peers::be_ready().
int start_eagerly(const PointToPoint& call, const EagerReceive& receive, std::uint64_t requests,
                  MPI_Request* request) {
  peers::be_ready(requests);
  *request = MPI_REQUEST_NULL;
  const int code =
      PMPI_Irecv_c(call.target(), call.count, call.type, call.peer, call.tag, call.comm, request);
  // If an RTS does not fit, MPI may return MPI_SUCCESS and no request: quirk success_after_error.
  if (code == MPI_SUCCESS && *request != MPI_REQUEST_NULL) message::requests::keep(*request, receive);
  return code;
}

/// Does what irecv() does, in a call that counts as `requests` (see peers::be_ready()).
std::optional<int> irecv_in_call(std::uint64_t requests, const PointToPoint& call, MPI_Request* request) {
  if (request != nullptr && call.peer == MPI_PROC_NULL && layout::has_functions(call.type))
    return PMPI_Irecv(nullptr, 0, MPI_BYTE, call.peer, call.tag, call.comm, request);
  if (request == nullptr || call.peer == MPI_PROC_NULL) return std::nullopt;
  const std::unique_lock lock(unexpected::lock());
  const auto eager = unexpected::any() ? std::nullopt : as_eager(call);
  if (eager) return start_eagerly(call, *eager, requests, request);
  // A resent message, however small, needs `data`. Otherwise a buffer smaller than an RTS needs none: MPI
  // reports an error if an RTS arrives.
  const MPI_Count least = unexpected::any() ? 0 : MPI_Count{Rts::least_bytes};
  const auto data = rendezvous_target(least, call, requests);
  if (!data && !unexpected::any() && !lock) return std::nullopt;
  *request = MPI_REQUEST_NULL;
  return start_to_receive(data, call, *request);
}

} // namespace

int complete(team::Member& member, MPI_Request* request, MPI_Status* status, std::string_view function,
             MPI_Comm comm) {
  return wait_over(member, function, comm, *request,
                   [&](int* done) { return test_one(member, request, status, done, comm); });
}

std::optional<int> send(team::Member& member, Start start, std::string_view function, const void* buffer,
                        MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  const PointToPoint call{buffer, count, type, destination, tag, comm};
  if (is_eager(call)) return std::nullopt;
  const auto send_packed = [&]() -> std::optional<int> {
    if (!layout::has_functions(type)) return std::nullopt;
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = start_packed(member, start, call, &request);
    return code != MPI_SUCCESS ? code : complete(member, &request, MPI_STATUS_IGNORE, function, comm);
  };
  if (&member == &team::alone()) return send_packed(); // outside phases nothing is announced
  // A thread with other messages in flight, as in an exchange, does not only wait: it advances them.
  using Sender = RendezvousSend::Sender;
  const auto message = RendezvousSend::candidate(call, requests::any() ? Sender::goes_on : Sender::waits);
  if (!message) return send_packed();
  auto out = ranks::charged_to(comm, [&] { return RendezvousSend::open(member, *message); });
  if (!out) return send_packed();
  if (const int code = out->announce(start, *message); code != MPI_SUCCESS) return code;
  member.lend_until(
      [&] {
        while (out->advance(member)) {
        }
        return out->sent(member);
      },
      [&] { return describe_wait(member, function, comm); }, team::Woken::perhaps);
  return reported_to(comm, [&] { return out->result(); });
}

int quick::receive_announced(team::Member& member, const EagerReceive& receive, MPI_Comm comm,
                             MPI_Status& arrived) {
  int code = MPI_SUCCESS;
  receive_if_announced(member, ranks::charged_to(comm, [&] { return ReceiveBuffer(receive); }), comm, arrived,
                       code);
  return code;
}

std::optional<int> recv(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type, int source,
                        int tag, MPI_Comm comm, MPI_Status* status) {
  if (source == MPI_PROC_NULL && layout::has_functions(type))
    return PMPI_Recv(nullptr, 0, MPI_BYTE, source, tag, comm, status);
  if (source == MPI_PROC_NULL || !ranks::valid_status(status)) return std::nullopt;
  const PointToPoint call{buffer, count, type, source, tag, comm};
  MPI_Request request = MPI_REQUEST_NULL;
  std::unique_lock lock(unexpected::lock());
  if (unexpected::any()) {
    if (lock) lock.unlock();
    const int code = start_receive(call, &request);
    return code != MPI_SUCCESS ? code : complete(member, &request, status, "MPI_Recv", comm);
  }
  const auto eager = as_eager(call);
  const auto data = eager ? std::nullopt : rendezvous_target(Rts::least_bytes, call, 0);
  if (eager)
    peers::be_ready(0);
  else if (!data && !lock)
    return std::nullopt;
  MPI_Status arrived;
  const auto to = native(data, call);
  int code = PMPI_Irecv_c(to.base, to.count, to.type, source, tag, comm, &request);
  if (code != MPI_SUCCESS) return code;
  if (lock) lock.unlock();
  code = wait_for(member, "MPI_Recv", comm, request, &arrived);
  if (code == MPI_SUCCESS && eager && Rts::begins(*eager, arrived))
    code = quick::receive_announced(member, *eager, comm, arrived);
  else if (code == MPI_SUCCESS && data && !receive_if_announced(member, *data, comm, arrived, code) &&
           source == MPI_ANY_SOURCE)
    tell(*data, arrived.MPI_SOURCE, comm);
  give(status, arrived);
  return code;
}

std::optional<int> mrecv(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type,
                         MPI_Message* message, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  const auto code = imrecv(member, buffer, count, type, message, &request);
  if (!code || *code != MPI_SUCCESS) return code;
  return complete(member, &request, status, "MPI_Mrecv", MPI_COMM_NULL);
}

std::optional<int> isend(team::Member& member, Start start, const void* buffer, MPI_Count count,
                         MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  const PointToPoint call{buffer, count, type, destination, tag, comm};
  if (request == nullptr || is_eager(call)) return std::nullopt;
  std::optional<int> code;
  const bool has_functions = layout::has_functions(type);
  if (!has_functions || &member != &team::alone()) { // outside phases nothing is announced
    if (const auto message = RendezvousSend::candidate(call, RendezvousSend::Sender::goes_on)) {
      *request = MPI_REQUEST_NULL;
      code = start_announced(member, start, *message, *request);
    }
  }
  return code || !has_functions ? code : start_packed(member, start, call, request);
}

int start_packed(team::Member& member, Start start, const PointToPoint& call, MPI_Request* request) {
  return ranks::charged_to(call.comm, [&] {
    const auto bytes = std::make_shared<PackedBytes>(call.buffer, call.count, call.type);
    auto operation = std::make_shared<ReceiveOperation>(ReceiveBuffer::keeping(bytes));
    if (call.peer != MPI_PROC_NULL) bytes->load(member);
    *request = MPI_REQUEST_NULL;
    const int code = bytes->give([&](int count, MPI_Datatype type) {
      return start(bytes->data(), count, type, call.peer, call.tag, call.comm, request);
    });
    if (code != MPI_SUCCESS || *request == MPI_REQUEST_NULL) return code;
    operation->set_request(*request);
    requests::track(*request, operation);
    return code;
  });
}

std::optional<int> start_announced(team::Member& member, Start start,
                                   const RendezvousSend::Candidate& message, MPI_Request& request) {
  return ranks::charged_to(message.comm, [&]() -> std::optional<int> {
    auto out = RendezvousSend::open(member, message);
    if (!out) return std::nullopt;
    auto operation = std::make_shared<SendOperation>(std::move(*out));
    const int code = operation->announce(start, message, request);
    if (code != MPI_SUCCESS) return code;
    while (operation->advance(member)) {
    }
    if (ranks::threads_take_turns()) operation->rescue(); // settle() must not call MPI then
    requests::track(request, std::move(operation));
    return code;
  });
}

int start_to_receive(const std::optional<ReceiveBuffer>& data, const PointToPoint& call,
                     MPI_Request& request) {
  return ranks::charged_to(call.comm, [&] {
    const auto& [buffer, count, type, source, tag, comm] = call;
    const auto operation = operation_for(data);
    std::optional<unexpected::Queue::iterator> message;
    if (data || valid_data(buffer, count, type)) message = unexpected::first(source, tag, comm);
    MPI_Request made = MPI_REQUEST_NULL;
    const auto to = native(data, call);
    const int code = message ? PMPI_Imrecv_c(to.base, to.count, to.type, &(*message)->message, &made)
                             : PMPI_Irecv_c(to.base, to.count, to.type, source, tag, comm, &made);
    if (code != MPI_SUCCESS || made == MPI_REQUEST_NULL) return code; // quirk success_after_error
    if (request == MPI_REQUEST_NULL) request = made;
    track(operation, made, message, request);
    return code;
  });
}

std::optional<int> irecv(team::Member&, void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  return irecv_in_call(1, {buffer, count, type, source, tag, comm}, request);
}

std::optional<int> imrecv(team::Member&, void* buffer, MPI_Count count, MPI_Datatype type,
                          MPI_Message* message, MPI_Request* request) {
  if (message == nullptr || request == nullptr) return std::nullopt;
  const std::unique_lock lock(unexpected::lock());
  const auto matched = unexpected::matched(*message);
  if (!matched && !layout::has_functions(type)) return std::nullopt;
  const MPI_Comm comm =
      matched ? (*matched)->comm : MPI_COMM_WORLD; // MPI does not know the communicator of a matched message
  return ranks::charged_to(comm, [&] {
    const PointToPoint call{buffer, count, type, MPI_ANY_SOURCE, MPI_ANY_TAG, comm};
    const auto data = rendezvous_target(0, call, 0);
    const auto operation = operation_for(data);
    const auto to = native(data, call);
    *request = MPI_REQUEST_NULL;
    const int code = PMPI_Imrecv_c(to.base, to.count, to.type, message, request);
    if (code != MPI_SUCCESS || *request == MPI_REQUEST_NULL) { // quirk success_after_error
      // MPI has reported an error of a resent message to a library communicator: quirk receive_tells_message.
      if (matched && (*matched)->resent_as && ranks::reporting() == ranks::Reporting::by_request)
        ranks::report_to(comm, code);
      return code;
    }
    track(operation, *request, matched, *request);
    return code;
  });
}

int start_send(team::Member& member, const PointToPoint& call, MPI_Request* request) {
  const auto& [buffer, count, type, destination, tag, comm] = call;
  const auto code = isend(member, PMPI_Isend, buffer, count, type, destination, tag, comm, request);
  return code ? *code : PMPI_Isend_c(buffer, count, type, destination, tag, comm, request);
}

int start_receive(const PointToPoint& call, MPI_Request* request) {
  const auto code = irecv_in_call(0, call, request);
  return code ? *code
              : PMPI_Irecv_c(call.target(), call.count, call.type, call.peer, call.tag, call.comm, request);
}

} // namespace helper::message
