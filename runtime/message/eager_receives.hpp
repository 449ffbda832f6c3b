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

  /// Call keep() before the receive is put into the table, and release() after it has been taken out.
  void keep() const noexcept {
    if (layout != nullptr) layout->keep();
  }
  void release() const noexcept {
    if (layout != nullptr) layout->release();
  }
};

/// The table of eager receives: non-blocking receives whose buffer is too small for any announced message of
/// their type. MPI alone performs them, so they need no operation. An RTS arrives only if the message is too
/// large or of another type. The thread that completes the request then finds the RTS in the buffer. The
/// table is static, and an entry lies in one cache line, so that the table costs little with cold caches.
namespace eager_receives {

namespace detail {

inline constexpr MPI_Request nobodys{}; // MPI_REQUEST_NULL is not a constant in every MPI

struct alignas(32) ReceiveSlot {
  // The request whose receive is in this slot. A thread that changes it from `nobodys`, with acquire, owns
  // the slot and writes the receive. The thread that tests or completes the request reads the receive and
  // frees the slot with release. This pairs with the acquire of the slot's next owner, and of a thread that
  // finds the slot free and then finds an operation instead of the receive.
  std::atomic<MPI_Request> request{};
  EagerReceive receive{};
};

// Pages of the table that a program never touches take no memory.
inline constexpr unsigned bits = 14;
inline constinit std::array<ReceiveSlot, std::size_t{1} << bits> slots;

/// Returns the only slot that a request may have.
inline ReceiveSlot& slot_of(MPI_Request request) noexcept {
  return slots[place_of<bits>(request)];
}

} // namespace detail

/// Adds the receive of a new or incomplete request. Returns false if another request has its slot.
inline bool put(MPI_Request request, const EagerReceive& receive) noexcept {
  detail::ReceiveSlot& slot = detail::slot_of(request);
  MPI_Request before = detail::nobodys;
  const bool is_free = slot.request.compare_exchange_strong(before, request, std::memory_order_acquire,
                                                            std::memory_order_relaxed);
  // The slot may have an earlier receive of this request, completed by a call that the library did not see.
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

/// If the table has the receive of the request, calls `use(receive)` and then removes the receive. The thread
/// that may complete the request calls this before MPI completes the request: afterwards another request may
/// have the same handle. Threads that only look at the request must take turns to call this function.
template <class Use>
void remove(MPI_Request request, const Use& use) noexcept {
  if (!has(request)) return;
  use(std::as_const(detail::slot_of(request).receive));
  detail::slot_of(request).request.store(detail::nobodys, std::memory_order_release);
}

/// Removes and returns the receive of a request, if the table has it. The caller calls its release().
inline std::optional<EagerReceive> take(MPI_Request request) noexcept {
  std::optional<EagerReceive> taken;
  remove(request, [&](const EagerReceive& receive) { taken = receive; });
  return taken;
}

/// Call it when MPI has completed a request for which has() is true. If `goes_on(receive)` is true, does
/// nothing and returns false. Otherwise removes the receive and returns true.
template <class GoesOn>
[[gnu::always_inline]] inline bool remove_unless(MPI_Request request, const GoesOn& goes_on) noexcept {
  detail::ReceiveSlot& slot = detail::slot_of(request);
  if (goes_on(std::as_const(slot.receive))) return false;
  slot.receive.release();
  slot.request.store(detail::nobodys, std::memory_order_release);
  return true;
}

/// Empties the table. MPI_Init calls this: receives that were completed without the library are still in it.
inline void clear() noexcept {
  // Most programs initialise MPI once, and need not touch any page of the table.
  static constinit std::atomic<bool> has_begun{false};
  if (!has_begun.exchange(true, std::memory_order_relaxed)) return;
  for (detail::ReceiveSlot& slot : detail::slots)
    slot.request.store(detail::nobodys, std::memory_order_relaxed);
}

} // namespace eager_receives

} // namespace helper::message
