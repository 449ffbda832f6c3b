// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// MPI_Sendrecv and similar functions: a send and a receive in one call.

#include <algorithm>
#include <memory>
#include <optional>

#include "message/message.hpp"
#include "message/packed_bytes.hpp"
#include "message/receive_buffer.hpp"
#include "message/requests.hpp"
#include "message/wait.hpp"
#include "native/large_counts.hpp"
#include "ranks/arguments.hpp"
#include "ranks/mpi_error.hpp"
#include "ranks/request.hpp"
#include "team/registry.hpp"

namespace helper::message {

namespace {

/// Starts the send of an exchange, as MPI_Isend_c does.
using StartSend = int (*)(team::Member& member, const PointToPoint& out, MPI_Request* request);

int send_natively(team::Member& member, const PointToPoint& out, MPI_Request* request) {
  if (layout::has_functions(out.type)) return start_packed(member, PMPI_Isend, out, request);
  return PMPI_Isend_c(out.buffer, out.count, out.type, out.peer, out.tag, out.comm, request);
}

/// Lets native MPI check the arguments of a send, by a send to MPI_PROC_NULL. The caller does this before it
/// receives anything, which cannot be undone. Returns the result code if the arguments are wrong. This code
/// may be MPI_SUCCESS, but MPI has then made no request (quirk success_after_error).
std::optional<int> refusal(const PointToPoint& out) {
  MPI_Request sent = MPI_REQUEST_NULL;
  const bool has_functions = layout::has_functions(out.type);
  const int code = PMPI_Issend_c(
      has_functions ? nullptr : out.buffer, has_functions ? std::min<MPI_Count>(out.count, 0) : out.count,
      has_functions ? MPI_BYTE : out.type, MPI_PROC_NULL, out.tag, out.comm, &sent);
  if (code != MPI_SUCCESS || sent == MPI_REQUEST_NULL) return code;
  PMPI_Wait(&sent, MPI_STATUS_IGNORE);
  return std::nullopt;
}

/// A send and a receive in flight together. Threads that may call MPI use this object, one at a time.
class SendReceive {
public:
  /// Starts the receive and the send. Returns the result code. After an error, which has been reported, both
  /// have finished. If this throws MpiError, nothing has been started.
  int start(team::Member& member, StartSend start_send, const PointToPoint& out, const PointToPoint& in) {
    const bool receives = in.peer != MPI_PROC_NULL;
    received_ = receives ? start_receive(in, &receive_) : receive_nothing(in);
    is_received_ = receive_ == MPI_REQUEST_NULL;
    // No request means an error, whatever the code: quirk success_after_error.
    if (received_ != MPI_SUCCESS || (receives && is_received_)) return received_;
    sent_ = started([&] { return start_send(member, out, &send_); });
    if (sent_ == MPI_SUCCESS && send_ != MPI_REQUEST_NULL) return MPI_SUCCESS;
    is_sent_ = true;
    if (!is_received_) PMPI_Cancel(&receive_);
    wait(member, out.comm);
    return sent_;
  }

  /// Advances the send and the receive without waiting. Returns whether both have finished. Reports errors to
  /// `comm`. If `comm` is MPI_COMM_NULL, reports them as MPI does for calls without a communicator.
  bool over(team::Member& member, MPI_Comm comm) {
    const auto tested = [&](MPI_Request& request, int& failed, MPI_Status* status) {
      return ranks::over_by([&](int* done) { return test_one(member, &request, status, done, comm); },
                            request, failed);
    };
    is_sent_ = is_sent_ || tested(send_, sent_, MPI_STATUS_IGNORE);
    is_received_ = is_received_ || tested(receive_, received_, &status_);
    return is_sent_ && is_received_;
  }

  void wait(team::Member& member, MPI_Comm comm) {
    member.lend_until([&] { return over(member, comm); },
                      [&] { return describe_wait(member, "MPI_Sendrecv", comm); }, team::Woken::by_mpi);
  }

  /// When over() is true: code() returns the result, already reported, and status() the receive's status.
  int code() const noexcept { return sent_ != MPI_SUCCESS ? sent_ : received_; }
  const MPI_Status& status() const noexcept { return status_; }

private:
  /// Receives from MPI_PROC_NULL with MPI_Recv, which then returns immediately: quirk test_leaves_status.
  int receive_nothing(const PointToPoint& in) {
    if (layout::has_functions(in.type))
      return PMPI_Recv(nullptr, 0, MPI_BYTE, in.peer, in.tag, in.comm, &status_);
    return PMPI_Recv_c(in.target(), in.count, in.type, in.peer, in.tag, in.comm, &status_);
  }

  /// Returns the code of `start()`. Reports its MpiError here: none may be thrown with the receive in flight.
  template <class Start>
  static int started(const Start& start) {
    try {
      return start();
    } catch (const ranks::MpiError& error) {
      if (error.comm() != MPI_COMM_NULL) ranks::report_to(error.comm(), error.code());
      return error.code();
    }
  }

  MPI_Request send_ = MPI_REQUEST_NULL;
  MPI_Request receive_ = MPI_REQUEST_NULL;
  bool is_sent_ = false;
  bool is_received_ = false;
  int sent_ = MPI_SUCCESS;
  int received_ = MPI_SUCCESS;
  MPI_Status status_{};
};

/// Memory for the incoming message while the outgoing one is sent from the user's buffer. MPI receives bytes,
/// so the message may end within an element: quirk no_part_of_an_element.
class Replacement {
public:
  /// Allocates the memory. Throws MpiError, also if MPI rejects the arguments.
  static std::unique_ptr<Replacement> make(const PointToPoint& out) {
    if (const auto code = refusal(out)) throw ranks::MpiError(MPI_COMM_NULL, *code);
    return ranks::charged_to(out.comm, [&] {
      return std::make_unique<Replacement>(ReceiveBuffer(out.target(), out.count, out.type));
    });
  }

  explicit Replacement(ReceiveBuffer data)
      : data_(std::move(data)), packed_(std::make_unique<std::byte[]>(data_.size())) {}

  PointToPoint inbound(int source, int tag, MPI_Comm comm) const {
    return {packed_.get(), static_cast<MPI_Count>(data_.size()), MPI_PACKED, source, tag, comm};
  }

  /// Stores the incoming message after the outgoing one has been sent. Returns MPI's code, not yet reported.
  int store(const MPI_Status& status) const noexcept {
    MPI_Count count = 0;
    PMPI_Get_elements_x(&status, MPI_BYTE, &count);
    return data_.store({packed_.get(), static_cast<std::size_t>(count)});
  }

private:
  ReceiveBuffer data_;
  std::unique_ptr<std::byte[]> packed_;
};

/// A non-blocking exchange. Any waiting thread advances its send and its receive. The exchange itself is
/// advanced by the thread that completes the request; by any thread once the request is freed.
class SendReceiveOperation final : public NonblockingOperation {
public:
  explicit SendReceiveOperation(std::unique_ptr<Replacement> replacement)
      : replacement_(std::move(replacement)) {}

  /// Does what SendReceive::start() does, and makes the request of the exchange.
  int start(team::Member& member, StartSend start_send, const PointToPoint& out, const PointToPoint& in) {
    return stand_in_.start_for([&] { return exchange_.start(member, start_send, out, in); });
  }

  MPI_Request request() const noexcept { return stand_in_.request(); }

  Code result(MPI_Status& status) override {
    status = exchange_.status();
    return stored_ == MPI_SUCCESS ? Code{exchange_.code()} : Code{stored_, true};
  }

  Code finish(MPI_Request& request, MPI_Status& status) override {
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return result(status);
  }

  /// Fails, as in MPI, since a message in flight cannot be withdrawn.
  int cancel() override { throw ranks::MpiError(ranks::unnamed_comm(), MPI_ERR_REQUEST); }

  /// Always false: the send and the receive have operations of their own, which are asked as well.
  bool under_way() noexcept override { return false; }

private:
  bool look(team::Member& member) override {
    const std::unique_lock lock(busy_, std::try_to_lock);
    if (!lock.owns_lock() || complete()) return false;
    settle(member, MPI_COMM_NULL);
    return true;
  }

  /// Errors of a freed request are reported to nobody.
  bool step(team::Member& member) noexcept override {
    if (!detached()) return false;
    try {
      return settle(member, ranks::world::comm());
    } catch (...) {
      return false;
    }
  }

  /// Calls SendReceive::over() with `comm`. If it returns true, completes the operation and returns true.
  bool settle(team::Member& member, MPI_Comm comm) {
    if (!exchange_.over(member, comm)) return false;
    if (replacement_ != nullptr && exchange_.code() == MPI_SUCCESS)
      stored_ = replacement_->store(exchange_.status());
    stand_in_.complete();
    set_complete();
    return true;
  }

  SendReceive exchange_;
  std::unique_ptr<Replacement> replacement_;
  int stored_ = MPI_SUCCESS;
  GeneralisedRequest stand_in_;
};

int wait_for_exchange(team::Member& member, const PointToPoint& out, const PointToPoint& in,
                      MPI_Status* status) {
  SendReceive exchange;
  if (const int code = exchange.start(member, start_send, out, in); code != MPI_SUCCESS) return code;
  exchange.wait(member, out.comm);
  give(status, exchange.status());
  return exchange.code();
}

int start_exchange(team::Member& member, std::unique_ptr<Replacement> replacement, const PointToPoint& out,
                   const PointToPoint& in, MPI_Request* request) {
  auto operation = ranks::charged_to(
      out.comm, [&] { return std::make_shared<SendReceiveOperation>(std::move(replacement)); });
  // Outside phases no send is announced: a later call may block in MPI without rescuing the message.
  const int code = operation->start(member, &member == &team::alone() ? send_natively : start_send, out, in);
  if (code != MPI_SUCCESS) return code;
  *request = operation->request();
  requests::track(*request, std::move(operation));
  return code;
}

} // namespace

std::optional<int> sendrecv(team::Member& member, const void* out, MPI_Count out_count, MPI_Datatype out_type,
                            int destination, int out_tag, void* in, MPI_Count in_count, MPI_Datatype in_type,
                            int source, int in_tag, MPI_Comm comm, MPI_Status* status) {
  const PointToPoint outbound{out, out_count, out_type, destination, out_tag, comm};
  if (const auto code = refusal(outbound)) return code;
  return wait_for_exchange(member, outbound, {in, in_count, in_type, source, in_tag, comm}, status);
}

std::optional<int> sendrecv_replace(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type,
                                    int destination, int out_tag, int source, int in_tag, MPI_Comm comm,
                                    MPI_Status* status) {
  if (!ranks::valid_status(status)) return std::nullopt;
  const PointToPoint out{buffer, count, type, destination, out_tag, comm};
  const auto replacement = Replacement::make(out);
  MPI_Status result{};
  const int code = wait_for_exchange(member, out, replacement->inbound(source, in_tag, comm), &result);
  const int stored = code == MPI_SUCCESS ? replacement->store(result) : MPI_SUCCESS;
  if (stored != MPI_SUCCESS) throw ranks::MpiError(comm, stored);
  give(status, result);
  return code;
}

std::optional<int> isendrecv(team::Member& member, const void* out, MPI_Count out_count,
                             MPI_Datatype out_type, int destination, int out_tag, void* in,
                             MPI_Count in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm,
                             MPI_Request* request) {
  if (request == nullptr) return std::nullopt;
  const PointToPoint outbound{out, out_count, out_type, destination, out_tag, comm};
  if (const auto code = refusal(outbound)) return code;
  return start_exchange(member, nullptr, outbound, {in, in_count, in_type, source, in_tag, comm}, request);
}

std::optional<int> isendrecv_replace(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type,
                                     int destination, int out_tag, int source, int in_tag, MPI_Comm comm,
                                     MPI_Request* request) {
  if (request == nullptr) return std::nullopt;
  const PointToPoint out{buffer, count, type, destination, out_tag, comm};
  auto replacement = Replacement::make(out);
  const PointToPoint in = replacement->inbound(source, in_tag, comm);
  return start_exchange(member, std::move(replacement), out, in, request);
}

} // namespace helper::message
