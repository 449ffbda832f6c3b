// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/eager_receives.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

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

constexpr unsigned bits = 8;
constinit std::array<Slot, std::size_t{1} << bits> slots;

/// The one slot that a request may have, by Fibonacci hashing.
Slot& slot_of(MPI_Request request) noexcept {
  const auto name = (std::uint64_t)request; // a number, or a pointer
  return slots[name * 0x9E37'79B9'7F4A'7C15 >> (64 - bits)];
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
  for (Slot& slot : slots) slot.request.store(nobodys, std::memory_order_relaxed);
}

} // namespace helper::message::eager_receives
