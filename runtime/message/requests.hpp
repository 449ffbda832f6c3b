// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "message/operation.hpp"
#include "message/request_names.hpp"

/// The operations of the requests that the user holds.
namespace helper::message::requests {

/// The requests that MPI must not complete.
inline constinit RequestNames withheld_names;

namespace detail {
// The operations by hashes of their requests, the number of tracked ones, and whether any may be in flight.
// Relaxed: a thread that asks about a request has synchronised with the thread that tracked it.
inline constexpr unsigned bits = 14;
inline constinit std::array<std::atomic<NonblockingOperation*>, std::size_t{1} << bits> by_hash;
inline constinit std::atomic<std::size_t> tracked{0};

inline std::atomic<NonblockingOperation*>& chain_of(MPI_Request request) noexcept {
  return by_hash[place_of<bits>(request)];
}
inline constinit std::atomic<bool> any_active{false};

std::shared_ptr<NonblockingOperation> take_to_go_on(MPI_Request name, int code, const MPI_Status& status);
void advance_some(team::Member& member) noexcept;
} // namespace detail

/// Returns whether any operation is tracked. It may miss operations of threads with which the calling thread
/// has not synchronised.
inline bool any() noexcept {
  return detail::tracked.load(std::memory_order_relaxed) != 0;
}

/// Returns false only if the request has no operation. Takes no lock.
inline bool may_have(MPI_Request request) noexcept {
  return any() && detail::chain_of(request).load(std::memory_order_relaxed) != nullptr;
}

/// Keeps the operation of `request`. Allocates nothing.
void track(MPI_Request request, std::shared_ptr<NonblockingOperation> operation) noexcept;

/// Keeps an eager receive of a new or incomplete request, if its message may be an RTS. If the table of eager
/// receives has no room, makes and tracks an operation instead. If memory is short too, keeps nothing.
void keep(MPI_Request request, const EagerReceive& receive) noexcept;

/// Makes an operation of an eager receive that MPI has completed with this status, if its message is an RTS.
/// `request` becomes the operation's request; otherwise it stays MPI_REQUEST_NULL. Returns the result code.
/// Errors are reported to `comm`, the communicator of the call, if it has one.
int resume(team::Member& member, const EagerReceive& receive, const MPI_Status& status, MPI_Request& request,
           MPI_Comm comm);

/// Returns the operation of a request; nullptr if only MPI knows the request, or must reject it.
std::shared_ptr<NonblockingOperation> find(const MPI_Request* request);

/// Returns what find() returns, but nullptr if MPI may complete the request.
std::shared_ptr<NonblockingOperation> withheld(MPI_Request request);

/// Returns the same as find(), but makes an operation for an eager receive.
std::shared_ptr<NonblockingOperation> operation_of(const MPI_Request* request);

/// Notes that awaits_first() of the operation has become false. Does nothing if it is not tracked.
void set_carried(NonblockingOperation& operation) noexcept;

/// Forgets an operation. Returns false if it is not tracked.
bool forget(NonblockingOperation& operation);

/// Forgets `name`, a request that MPI has completed with this code and status, and has freed. If an operation
/// of it may continue, does nothing and returns false. No other thread may be in MPI.
[[gnu::always_inline]] inline bool forget_plain(MPI_Request name, int code, const MPI_Status& status) {
  if (!eager_receives::has(name)) return !may_have(name);
  return eager_receives::remove_unless(
      name, [&](const EagerReceive& receive) { return code == MPI_SUCCESS && Rts::begins(receive, status); });
}

/// Forgets such a request in any case, and returns its operation if the operation continues.
inline std::shared_ptr<NonblockingOperation> take(MPI_Request name, int code, const MPI_Status& status) {
  return forget_plain(name, code, status) ? nullptr : detail::take_to_go_on(name, code, status);
}

/// Tracks an operation that continues; `request` stands for it from now on. If no request can be made,
/// completes the operation. Returns MPI's code.
int go_on(team::Member& member, const std::shared_ptr<NonblockingOperation>& operation, MPI_Request& request);

/// The requests that MPI has completed in a call, but whose operations continue since an RTS has arrived. All
/// are taken from the table before new requests are made: a new one may have the handle of any of them.
class GoingOn {
public:
  /// Adds the completed requests for which `take(index, status)` returns an operation, and removes them from
  /// both arrays. Returns how many requests the arrays still have. Allocates nothing.
  template <class Take>
  int add(int completed, int* indices, MPI_Status* statuses, const Take& take) {
    int left = 0;
    for (int next = 0; next < completed; ++next) {
      const int index = indices[next];
      if (auto operation = take(index, statuses[next])) {
        operation->index_ = index;
        operation->tracked_ = std::exchange(first_, nullptr);
        first_ = std::move(operation);
        continue;
      }
      indices[left] = index;
      if (left != next) statuses[left] = statuses[next];
      ++left;
    }
    return left;
  }

  /// Calls `go_on(index, operation)` for each operation. Throws MpiError if one of the codes is an error.
  template <class GoOn>
  void go_on(const GoOn& go_on) {
    int code = MPI_SUCCESS;
    while (first_ != nullptr) {
      const auto operation = std::exchange(first_, std::move(first_->tracked_));
      const int own = go_on(operation->index_, operation);
      if (own != MPI_SUCCESS) code = own;
    }
    ranks::check(code);
  }

private:
  std::shared_ptr<NonblockingOperation> first_;
};

/// Returns `carry_on()`, which advances the operation of `*request`. If it throws, as an error handler of the
/// program may, completes the request of a complete operation, as MPI does, and rethrows.
template <class CarryOn>
bool carried_on(const CarryOn& carry_on, NonblockingOperation& operation, MPI_Request* request) {
  try {
    return carry_on();
  } catch (...) {
    if (operation.complete()) {
      forget(operation);
      operation.finish_quietly(*request);
    }
    throw;
  }
}

/// Rescues all messages in flight from this process.
void rescue_all() noexcept;

/// Return whether any operation, or any that this thread has started, is in flight. They do not call MPI.
bool under_way() noexcept;
bool own_under_way() noexcept;

/// Advances the operation. Disposes of it if it is then complete and the user has freed its request. Returns
/// false if nothing could be advanced.
bool advance(team::Member& member, NonblockingOperation& operation) noexcept;

/// Calls advance() for one of the operations in flight and one of the receives for which nothing has arrived:
/// at each call for the next ones. A waiting primary calls this in the background.
bool advance_one(team::Member& member) noexcept;

/// Does what advance_one() does, for a call that does not wait. Few such calls look at a receive.
inline void advance_in_passing(team::Member& member) noexcept {
  if (any()) detail::advance_some(member);
}

/// Returns how many operations rescue_all(), under_way() and own_under_way() have visited.
std::uint64_t visited() noexcept;

} // namespace helper::message::requests
