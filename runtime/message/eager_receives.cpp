// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/eager_receives.hpp"

namespace helper::message::eager_receives {

using detail::nobodys;
using detail::ReceiveSlot;
using detail::slot_of;

bool put(MPI_Request request, const EagerReceive& receive) noexcept {
  ReceiveSlot& slot = slot_of(request);
  MPI_Request before = nobodys;
  const bool is_free = slot.request.compare_exchange_strong(before, request, std::memory_order_acquire,
                                                            std::memory_order_relaxed);
  // A receive with the same request was completed by a call that the library did not see.
  if (!is_free && before != request) return false;
  if (!is_free) slot.receive.release();
  slot.receive = receive;
  return true;
}

std::optional<EagerReceive> take(MPI_Request request) noexcept {
  std::optional<EagerReceive> taken;
  remove(request, [&](const EagerReceive& receive) { taken = receive; });
  return taken;
}

void clear() noexcept {
  // Most programs initialise MPI once, and need not touch any page of the table.
  static constinit std::atomic<bool> has_begun{false};
  if (!has_begun.exchange(true, std::memory_order_relaxed)) return;
  for (ReceiveSlot& slot : detail::slots) slot.request.store(nobodys, std::memory_order_relaxed);
}

} // namespace helper::message::eager_receives
