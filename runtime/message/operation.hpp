// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "message/incoming.hpp"
#include "message/outgoing.hpp"
#include "message/wait.hpp"
#include "team/team.hpp"

namespace helper::message {

/// A non-blocking operation of the user's that is more than the native request that the user holds for it.
/// Any thread that is in MPI advances it; only who completes the request finishes it.
class Operation {
public:
  Operation() = default;
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// Does what can be done at once, unless another thread is at it; false if nothing.
  bool advance(team::Member& member) noexcept;

  /// Does all that can be done now; whether the operation is then complete. For who completes it: errors of
  /// MPI are reported.
  bool carry_on(team::Member& member) {
    look(member);
    while (advance(member)) {
    }
    return complete();
  }

  bool complete() const noexcept { return complete_.load(std::memory_order_acquire); }

  /// The status and the result code of a complete operation, which its request remains.
  virtual Code result(MPI_Status& status) = 0;

  /// Completes the request of a complete operation, natively. Returns the result code.
  virtual Code finish(MPI_Request& request, MPI_Status& status) = 0;

  /// As MPI_Cancel.
  virtual int cancel() { return MPI_SUCCESS; }

  /// Whether the other side may wait for this process.
  virtual bool under_way() noexcept = 0;

  /// Has the message leave without its receiver's or this process's doing.
  virtual void rescue() noexcept {}

  /// Whether the calling thread has started it.
  bool own() const noexcept { return starter_ == std::this_thread::get_id(); }

  /// The user has freed the request: nobody will complete it.
  void detach() noexcept { detached_.store(true, std::memory_order_relaxed); }
  bool detached() const noexcept { return detached_.load(std::memory_order_relaxed); }

protected:
  /// Learns what MPI has made of the operation, and reports errors.
  virtual void look(team::Member&) {}

  /// Advances; calls set_complete() when all is done. By one thread at a time. Reports nothing, since it may
  /// be any thread.
  virtual bool step(team::Member& member) noexcept = 0;

  /// Release, pairs with the acquire in complete(): what the operation has stored is visible to who finishes
  /// it.
  void set_complete() noexcept { complete_.store(true, std::memory_order_release); }

private:
  const std::thread::id starter_ = std::this_thread::get_id();
  // Set once, by who advances.
  std::atomic<bool> complete_{false};
  // Set once, by the user's thread; who reads it later is who disposes of the operation. Relaxed.
  std::atomic<bool> detached_{false};

protected:
  std::mutex busy_; // held by who advances
};

/// A generalised request that stands for an operation. MPI knows nothing of it but whether it is complete:
/// the status and the result code are the operation's.
class StandIn {
public:
  StandIn() = default;
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

  /// Makes the request. Returns the result code.
  int start();

  /// Frees what nobody else has seen.
  void withdraw() noexcept;

  void complete() noexcept { PMPI_Grequest_complete(request_); }

  MPI_Request request() const noexcept { return request_; }

private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// An announced send. Its request is a generalised one, since those of small messages that MPICH returns are
/// all the same.
class SendOperation final : public Operation {
public:
  SendOperation(const Outgoing::Worthy& message, Outgoing::Stream stream)
      : out_(message, std::move(stream)) {}

  /// Announces the message with `start`, and makes the request that the user will hold, unless that is a
  /// persistent one. Once; nothing can fail after it. Returns the result code.
  int announce(Start start, int destination, int tag, MPI_Comm comm, MPI_Request& request);

  Code result(MPI_Status& status) override;
  Code finish(MPI_Request& request, MPI_Status& status) override;
  bool under_way() noexcept override;
  void rescue() noexcept override;

private:
  bool step(team::Member& member) noexcept override;

  Outgoing out_;
  StandIn stand_in_;
};

/// A receive of what may turn out to be announced.
class ReceiveOperation final : public Operation {
public:
  explicit ReceiveOperation(Data data) : data_(std::move(data)) {}

  MPI_Request request() const noexcept { return request_; }

  /// The native receive has been started. It is the user's request too, unless that is a persistent one. Of a
  /// held message `origin` is the status.
  void set_request(MPI_Request request, std::optional<MPI_Status> origin) noexcept {
    request_ = request;
    origin_ = origin;
  }

  Code result(MPI_Status& status) override;
  Code finish(MPI_Request& request, MPI_Status& status) override;
  int cancel() override;
  bool under_way() noexcept override;

private:
  void look(team::Member& member) override;
  bool step(team::Member& member) noexcept override;
  void arrive(const MPI_Status& status, int code) noexcept;

  Data data_;
  std::optional<MPI_Status> origin_; // where it comes from, if that is not from where it seems to
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::optional<Incoming> in_;
  MPI_Status status_{};
  int code_ = MPI_SUCCESS; // of the native receive, which MPI has reported
};

/// The operations of the requests that the user holds.
namespace requests {

/// Whether there are any: false for good unless this thread, or one it has synchronised with, tracks one.
bool any() noexcept;

/// What the operations are kept in; allocates nothing when an entry goes from one into another.
using Operations = std::map<MPI_Request, std::shared_ptr<Operation>>;

/// The entry of an operation, to be made before anything that cannot be undone.
Operations::node_type entry_of(std::shared_ptr<Operation> operation);

void track(MPI_Request request, Operations::node_type entry) noexcept;

/// The operation of a request that the user points to; nullptr if it is a native one alone, or none at all,
/// of which native MPI is to judge.
std::shared_ptr<Operation> find(const MPI_Request* request);

/// False if the request is not, or no more, the operation's: once MPI has freed it, another may have its
/// name.
bool forget(MPI_Request request, const Operation& operation);

/// Rescues all that is under way from this process.
void rescue_all() noexcept;

/// Whether any is under way; `own`: any that the calling thread has started. Calls no MPI function.
bool under_way() noexcept;
bool own_under_way() noexcept;

/// Advances the operation of a request, and completes it if the user has freed that; false if it could not be
/// advanced.
bool advance(team::Member& member, MPI_Request request, Operation& operation) noexcept;

/// Does so with one of the operations, another one each time; false if it could not be. What a waiting
/// primary does in the background.
bool advance_one(team::Member& member) noexcept;

} // namespace requests

} // namespace helper::message
