// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

#include "layout/layout.hpp"
#include "message/request_names.hpp"

namespace helper::message {

/// The memory that a receive stores in: elements of a datatype with a layout, or contiguous bytes.
struct EagerReceive {
  void* buffer;
  MPI_Count count;
  const layout::Layout* layout; ///< nullptr for bytes

  std::size_t room() const noexcept {
    return static_cast<std::size_t>(count) * (layout == nullptr ? 1 : layout->size());
  }

  /// The caller that puts a receive in the table calls keep(); the caller that takes it out calls the other.
  void keep() const noexcept {
    if (layout != nullptr) layout->keep();
  }
  void release() const noexcept {
    if (layout != nullptr) layout->release();
  }
};

/// Non-blocking receives whose buffer has no room for an announced message of their type: MPI alone performs
/// them, so they need no operation. If an RTS arrives anyway, for a message that is too large or of another
/// type, the thread that completes the request sees it in the buffer. The table is static, with a line for
/// each request, so that it costs little with cold caches.
namespace eager_receives {

namespace detail {

inline constexpr MPI_Request nobodys{}; // MPI_REQUEST_NULL is not a constant in every MPI

struct alignas(32) ReceiveSlot {
  // The request whose receive is here. A thread that changes it from `nobodys` owns the slot, and writes the
  // receive. A thread to which the user has passed the request reads the receive, and frees the slot with
  // release. This pairs with the acquire of the next owner, and of a thread that finds an operation instead
  // of the receive.
  std::atomic<MPI_Request> request{};
  EagerReceive receive{};
};

// A program touches only the pages that it needs.
inline constexpr unsigned bits = 14;
inline constinit std::array<ReceiveSlot, std::size_t{1} << bits> slots;

/// Returns the only slot that a request may have.
inline ReceiveSlot& slot_of(MPI_Request request) noexcept {
  return slots[place_of<bits>(request)];
}

} // namespace detail

/// Keeps the receive of a request that is new or not complete. Returns false if there is no room for it.
inline bool put(MPI_Request request, const EagerReceive& receive) noexcept {
  detail::ReceiveSlot& slot = detail::slot_of(request);
  MPI_Request before = detail::nobodys;
  const bool is_free = slot.request.compare_exchange_strong(before, request, std::memory_order_acquire,
                                                            std::memory_order_relaxed);
  // A receive with the same request was completed by a call that the library did not see.
  if (!is_free && before != request) return false;
  if (!is_free) slot.receive.release();
  slot.receive = receive;
  return true;
}

/// Returns whether the request has a receive in the table.
inline bool has(MPI_Request request) noexcept {
  return request != detail::nobodys &&
         detail::slot_of(request).request.load(std::memory_order_acquire) == request;
}

/// Calls `use(receive)` with the receive of a request, if it has one in the table, and then removes it. The
/// thread that may complete the request calls it, before MPI completes the request: afterwards another
/// request may have the same handle. Of the threads that only look at the request, one at a time calls it.
template <class Use>
void remove(MPI_Request request, const Use& use) noexcept {
  if (!has(request)) return;
  use(std::as_const(detail::slot_of(request).receive));
  detail::slot_of(request).request.store(detail::nobodys, std::memory_order_release);
}

/// Removes the receive of a request, and returns it, if the table has it. The caller releases it.
inline std::optional<EagerReceive> take(MPI_Request request) noexcept {
  std::optional<EagerReceive> taken;
  remove(request, [&](const EagerReceive& receive) { taken = receive; });
  return taken;
}

/// Removes the receive of a request for which has() is true, and whose receive MPI has completed, unless
/// `goes_on(receive)`. Returns whether it did.
template <class GoesOn>
[[gnu::always_inline]] inline bool remove_unless(MPI_Request request, const GoesOn& goes_on) noexcept {
  detail::ReceiveSlot& slot = detail::slot_of(request);
  if (goes_on(std::as_const(slot.receive))) return false;
  slot.receive.release();
  slot.request.store(detail::nobodys, std::memory_order_release);
  return true;
}

/// Forgets all receives, when MPI is initialised: those completed without the library would stay.
inline void clear() noexcept {
  // Most programs initialise MPI once, and need not touch any page of the table.
  static constinit std::atomic<bool> has_begun{false};
  if (!has_begun.exchange(true, std::memory_order_relaxed)) return;
  for (detail::ReceiveSlot& slot : detail::slots)
    slot.request.store(detail::nobodys, std::memory_order_relaxed);
}

} // namespace eager_receives

} // namespace helper::message
