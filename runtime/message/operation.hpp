// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "lifetime/at_end.hpp"
#include "message/rendezvous.hpp"
#include "message/wait.hpp"
#include "shm/traffic.hpp"
#include "team/team.hpp"
#include "team/thread_state.hpp"

namespace helper::message {

namespace requests {
class Ring;
class GoingOn;
struct RequestTable;
} // namespace requests

/// A non-blocking operation of the user for which a native request is not enough. Any thread that is in MPI
/// advances it. Only the thread that completes the request finishes it.
class NonblockingOperation {
public:
  virtual ~NonblockingOperation() = default;

  /// Does what can be done at once, unless another thread is advancing the operation. Returns false if it has
  /// done nothing.
  bool advance(team::Member& member) noexcept;

  /// Does all that can be done now, and returns whether the operation is then complete. If not, MPI has made
  /// progress, which other ranks may need. The completing thread calls this, so errors of MPI are reported.
  bool carry_on(team::Member& member) {
    if (!do_all(member) && !complete()) shm::traffic::poll();
    return complete();
  }

  /// Does the same for one of several operations. The caller lets MPI make progress, once for all of them.
  bool carry_on_unpolled(team::Member& member) {
    do_all(member);
    return complete();
  }

  bool complete() const noexcept { return complete_.load(std::memory_order_seq_cst); }

  /// Raises, in the calling thread, the floating-point exceptions of a complete operation's computation.
  void raise() const noexcept { team::raise_exceptions(raised_.load(std::memory_order_relaxed)); }

  /// Returns the status and the result code of a complete operation. Its request remains.
  virtual Code result(MPI_Status& status) = 0;

  /// Completes the request of a complete operation, natively. Returns the result code.
  virtual Code finish(MPI_Request& request, MPI_Status& status) = 0;

  /// Does the same for callers that must not throw.
  Code finish_quietly(MPI_Request& request) noexcept {
    try {
      MPI_Status status;
      return finish(request, status);
    } catch (...) {
      return {MPI_ERR_OTHER, true};
    }
  }

  /// Does what MPI_Cancel does.
  virtual int cancel() { return MPI_SUCCESS; }

  /// Returns whether the other side may wait for this process.
  virtual bool under_way() noexcept = 0;

  /// Returns how many bytes of this operation bytes_left() counts.
  virtual std::size_t left() noexcept { return 0; }

  /// Rescues the message, if the operation sends one by rendezvous.
  virtual void rescue() noexcept {}

  /// Returns whether the calling thread has started the operation.
  bool own() const noexcept { return starter_ == std::this_thread::get_id(); }

  /// Returns whether the operation is a receive for which nothing has arrived.
  virtual bool awaits_first() const noexcept { return false; }

  /// The native receive, if MPI may complete it while the operation awaits_first(); else MPI_REQUEST_NULL.
  virtual MPI_Request native() const noexcept { return MPI_REQUEST_NULL; }

  /// Notes the status and the result code that MPI_Request_get_status returned for native().
  virtual void learn(const MPI_Status&, int) {}

  /// Notes that MPI has completed native() without error, with this status, and freed it. Returns whether the
  /// operation continues. It then needs a stand_in().
  virtual bool goes_on(const MPI_Status&) { return false; }

  /// Makes a new request for an operation that continues. Returns MPI's code.
  virtual int stand_in(MPI_Request&) { return MPI_ERR_REQUEST; }

  /// The request under which the table has the operation.
  MPI_Request name() const noexcept { return name_; }

  /// Notes that the user has freed the request, and that nobody will complete it.
  void detach() noexcept { detached_.store(true, std::memory_order_seq_cst); }
  bool detached() const noexcept { return detached_.load(std::memory_order_seq_cst); }

protected:
  /// Asks MPI about the operation, and reports errors. Returns whether MPI has made progress.
  virtual bool look(team::Member&) { return false; }

  /// Returns false if step() would do nothing. One thread at a time calls this.
  virtual bool can_step() const noexcept { return true; }

  /// Advances the operation, and calls set_complete() when it has finished. One thread at a time calls this.
  /// Reports no error, since any thread may call this.
  virtual bool step(team::Member& member) noexcept = 0;

  void set_complete() noexcept { complete_.store(true, std::memory_order_seq_cst); }

  /// Calls `work()` in the floating-point state in which the operation began. Notes raised exceptions.
  template <class Work>
  auto in_state(const Work& work) noexcept {
    const team::InState in_state(state_);
    const auto result = work();
    if (const team::Exceptions raised = in_state.raised(); raised != 0)
      raised_.fetch_or(raised, std::memory_order_relaxed);
    return result;
  }

private:
  friend class requests::Ring;
  friend class requests::GoingOn;
  friend struct requests::RequestTable;

  /// Does all that can be done now, and returns whether MPI has made progress.
  bool do_all(team::Member& member) {
    const bool has_asked_mpi = look(member);
    while (advance(member)) {
    }
    return has_asked_mpi;
  }

  const std::thread::id starter_ = std::this_thread::get_id();

  // The mutex of the RequestTable guards these.
  MPI_Request name_ = MPI_REQUEST_NULL;
  std::shared_ptr<NonblockingOperation> tracked_; // this operation, while it is tracked
  NonblockingOperation* next_ = nullptr;          // the next operation whose request has the same hash
  requests::Ring* ring_ = nullptr;                // the ring that has the operation
  NonblockingOperation *before_ = nullptr, *after_ = nullptr; // in the ring
  int index_ = 0;                                             // index of the request, if GoingOn has it

  const team::ThreadState state_ = team::ThreadState::own();
  // The exceptions that threads raised while they advanced the operation. Relaxed: complete_ orders it.
  std::atomic<team::Exceptions> raised_{0};
  // complete_: set once, with release, by the thread that advances the operation, so that the thread that
  // finishes it sees what was stored. detached_: set once by the user's thread. Both are sequentially
  // consistent: at least one of the two threads sees both set, and disposes of the operation.
  std::atomic<bool> complete_{false};
  std::atomic<bool> detached_{false};

protected:
  std::mutex busy_; // the thread that advances the operation holds it
};

/// Sets a status as MPI sets it for a send or a collective operation. Returns MPI's code.
int make_empty(MPI_Status& status) noexcept;

/// Sets the status of an inactive request, unless it is ignored. Returns MPI's code.
inline int give_empty(MPI_Status* status) noexcept {
  return status == MPI_STATUS_IGNORE ? MPI_SUCCESS : make_empty(*status);
}

/// A generalised request of MPI that stands for an operation. MPI knows only whether it is complete; the
/// operation has the status and the result code.
class GeneralisedRequest {
public:
  GeneralisedRequest() = default;
  GeneralisedRequest(const GeneralisedRequest&) = delete;
  GeneralisedRequest& operator=(const GeneralisedRequest&) = delete;

  /// Makes the request. Returns the result code.
  int start();

  /// Makes the request, and calls `begin()`, which begins the operation. If `begin()` fails, frees the
  /// request, which no other thread has seen. Returns the result code.
  template <class Begin>
  int start_for(const Begin& begin) {
    int code = start();
    if (code != MPI_SUCCESS) return code;
    code = MPI_ERR_OTHER; // if begin() throws
    const lifetime::AtEnd withdrawn([&]() noexcept {
      if (code == MPI_SUCCESS) return;
      complete();
      PMPI_Request_free(&request_);
    });
    return code = begin();
  }

  /// Completes it. Calls MPI.
  void complete() noexcept { PMPI_Grequest_complete(request_); }

  MPI_Request request() const noexcept { return request_; }

private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// A send by rendezvous, with a generalised request: quirk requests_are_shared.
class SendOperation final : public NonblockingOperation {
public:
  explicit SendOperation(RendezvousSend out) : out_(std::move(out)) {}

  /// Announces the message with `start`. Makes `request`, which the user will hold, unless it is a persistent
  /// request already. Call it once. Returns the result code.
  int announce(Start start, const RendezvousSend::Candidate& message, MPI_Request& request);

  Code result(MPI_Status& status) override;
  Code finish(MPI_Request& request, MPI_Status& status) override;
  bool under_way() noexcept override;
  std::size_t left() noexcept override;
  void rescue() noexcept override;

private:
  bool step(team::Member& member) noexcept override;

  RendezvousSend out_;
  GeneralisedRequest stand_in_;
};

/// A receive whose message may be an RTS.
class ReceiveOperation final : public NonblockingOperation {
public:
  explicit ReceiveOperation(ReceiveBuffer data) : data_(std::move(data)) {}

  MPI_Request request() const noexcept { return request_; }

  /// Sets the native receive that has been started. Unless the user's request is persistent, both are equal.
  void set_request(MPI_Request request) noexcept { request_ = request; }

  /// Sets the source and tag of a message from the unexpected queue. A message that `is_resent` is received
  /// on a communicator of the library. So the library, not MPI, must report its errors to the user.
  void set_origin(const MPI_Status& status, bool is_resent) noexcept {
    origin_ = status;
    is_resent_ = is_resent;
  }

  Code result(MPI_Status& status) override;
  Code finish(MPI_Request& request, MPI_Status& status) override;
  int cancel() override;
  bool under_way() noexcept override;
  std::size_t left() noexcept override;
  bool awaits_first() const noexcept override { return !in_ && !complete(); }
  MPI_Request native() const noexcept override {
    return origin_ || data_.lands_elsewhere() ? MPI_REQUEST_NULL : request_;
  }
  void learn(const MPI_Status& status, int code) override;
  bool goes_on(const MPI_Status& status) override;
  int stand_in(MPI_Request& request) override;

private:
  bool look(team::Member& member) override;
  bool can_step() const noexcept override;
  bool step(team::Member& member) noexcept override;
  void arrive(const MPI_Status& status, int code) noexcept;
  bool has_begun() const noexcept { return in_ || complete(); } // the caller holds busy_

  ReceiveBuffer data_;
  std::optional<MPI_Status> origin_;
  bool is_resent_ = false;
  MPI_Request request_ = MPI_REQUEST_NULL;
  GeneralisedRequest stand_in_;
  std::optional<RendezvousReceive> in_;
  MPI_Status status_{};
  int code_ = MPI_SUCCESS;  // of the native receive
  bool is_unheard_ = false; // MPI has not reported the code
};

// These start non-blocking and persistent operations. The caller's `request` is MPI_REQUEST_NULL, or a
// persistent request, which remains. All memory is allocated before other ranks learn of the operation.

/// Announces a message, with `start`. Returns nothing, having done nothing, if there is no stream for it.
std::optional<int> start_announced(team::Member& member, Start start,
                                   const RendezvousSend::Candidate& message, MPI_Request& request);

/// Starts to receive the first matching message in the unexpected queue or, if there is none, the next
/// message. If there are `data`, the receive has an operation. The caller holds unexpected::lock().
int start_to_receive(const std::optional<ReceiveBuffer>& data, const PointToPoint& call,
                     MPI_Request& request);

/// Do what MPI_Isend_c and MPI_Irecv_c do. complete() or test_one() completes `request`.
int start_send(team::Member& member, const PointToPoint& call, MPI_Request* request);
int start_receive(const PointToPoint& call, MPI_Request* request);

/// Waits for a request, with or without an operation.
int complete(team::Member& member, MPI_Request* request, MPI_Status* status, std::string_view function,
             MPI_Comm comm);

/// Does what can be done for the operation at once, and completes the request if the operation is complete:
/// then it is MPI_REQUEST_NULL, unless it is persistent. Returns the result code. Errors are reported to
/// `comm`, the communicator of the call, if it has one.
int test_one(team::Member& member, MPI_Request* request, MPI_Status* status, int* done, MPI_Comm comm);

} // namespace helper::message
