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

  /// Whoever makes one for the table calls the first, and whoever takes it out the second.
  void keep() const noexcept {
    if (layout != nullptr) layout->keep();
  }
  void release() const noexcept {
    if (layout != nullptr) layout->release();
  }
};

/// Non-blocking receives whose buffer has no room for an announced message of their type: MPI alone carries
/// them, and they need no operation. If an RTS comes anyway, for a message that is too large or of another
/// type, the thread that completes the request sees it in the buffer. So that they cost little with cold
/// caches, there is only a table that is never allocated, with a line for each request.
namespace eager_receives {

namespace detail {

inline constexpr MPI_Request nobodys{}; // MPI_REQUEST_NULL is no constant everywhere

struct alignas(32) ReceiveSlot {
  // Whose receive is here. A thread that changes it from `nobodys` has the slot, and writes the receive. A
  // thread that the user has passed the request to reads that, and gives the slot away with release. This
  // pairs with the acquire of the next owner, and of a thread that finds an operation instead of the receive.
  std::atomic<MPI_Request> request{};
  EagerReceive receive{};
};

// Of the pages, a program touches those that it needs.
inline constexpr unsigned bits = 14;
inline constinit std::array<ReceiveSlot, std::size_t{1} << bits> slots;

/// The one slot that a request may have.
inline ReceiveSlot& slot_of(MPI_Request request) noexcept {
  return slots[place_of<bits>(request)];
}

} // namespace detail

/// Keeps the receive of a request that MPI has just returned, or that is not complete. Returns false if there
/// is no room for it.
bool put(MPI_Request request, const EagerReceive& receive) noexcept;

/// Whether the request is one of those.
inline bool has(MPI_Request request) noexcept {
  return request != detail::nobodys &&
         detail::slot_of(request).request.load(std::memory_order_acquire) == request;
}

/// Calls `use(receive)` with the receive of a request, if it is one of those, and then removes it. The thread
/// that may complete the request calls it, before it has MPI do so: then another one may have its name. Of
/// those that only look at the request, one at a time does.
template <class Use>
void remove(MPI_Request request, const Use& use) noexcept {
  if (!has(request)) return;
  use(std::as_const(detail::slot_of(request).receive));
  detail::slot_of(request).request.store(detail::nobodys, std::memory_order_release);
}

/// Does so, and returns the receive, which the caller releases; nothing if the request is none of those.
std::optional<EagerReceive> take(MPI_Request request) noexcept;

/// Removes the receive of a request for which has() is true and MPI has completed the receive, unless
/// `goes_on(receive)`. Returns whether it did.
template <class GoesOn>
bool remove_unless(MPI_Request request, const GoesOn& goes_on) noexcept {
  detail::ReceiveSlot& slot = detail::slot_of(request);
  if (goes_on(std::as_const(slot.receive))) return false;
  slot.receive.release();
  slot.request.store(detail::nobodys, std::memory_order_release);
  return true;
}

/// Forgets all, when MPI begins: what it has been asked for past the library is never taken.
void clear() noexcept;

} // namespace eager_receives

} // namespace helper::message
