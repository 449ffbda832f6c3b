// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/eager_receives.hpp"

#include <array>
#include <atomic>
#include <cstddef>

#include "message/request_names.hpp"

namespace helper::message::eager_receives {

namespace {

constexpr MPI_Request nobodys{}; // MPI_REQUEST_NULL is no constant everywhere

struct alignas(32) Slot {
  // Whose receive is here. Who changes it from `nobodys` has the slot, and writes the receive. A thread that
  // the user has passed the request to reads that, and gives the slot away with release, which pairs with the
  // acquire of who has it next.
  std::atomic<MPI_Request> request{};
  EagerReceive receive{};
};

// Of the pages, a program touches those that it needs.
constexpr unsigned bits = 14;
constinit std::array<Slot, std::size_t{1} << bits> slots;

/// The one slot that a request may have.
Slot& slot_of(MPI_Request request) noexcept {
  return slots[place_of<bits>(request)];
}

} // namespace

bool put(MPI_Request request, const EagerReceive& receive) noexcept {
  Slot& slot = slot_of(request);
  MPI_Request before = nobodys;
  const bool is_free = slot.request.compare_exchange_strong(before, request, std::memory_order_acquire,
                                                            std::memory_order_relaxed);
  // One of the same name has been completed past the library.
  if (!is_free && before != request) return false;
  slot.receive = receive;
  return true;
}

bool has(MPI_Request request) noexcept {
  return request != nobodys && slot_of(request).request.load(std::memory_order_relaxed) == request;
}

std::optional<EagerReceive> take(MPI_Request request) noexcept {
  if (!has(request)) return std::nullopt;
  Slot& slot = slot_of(request);
  const EagerReceive receive = slot.receive;
  slot.request.store(nobodys, std::memory_order_release);
  return receive;
}

void clear() noexcept {
  // Most programs begin MPI once, and need no page of all this.
  static constinit std::atomic<bool> has_begun{false};
  if (!has_begun.exchange(true, std::memory_order_relaxed)) return;
  for (Slot& slot : slots) slot.request.store(nobodys, std::memory_order_relaxed);
}

} // namespace helper::message::eager_receives
