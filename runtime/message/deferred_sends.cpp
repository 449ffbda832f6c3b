// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/deferred_sends.hpp"

#include <algorithm>
#include <mutex>
#include <new>

#include "lifetime/never_destroyed.hpp"
#include "message/wait.hpp"
#include "native/large_counts.hpp"

namespace helper::message::deferred {

namespace {

// The most bytes of all reservations, and their present sum, which orders nothing.
constexpr std::size_t most_bytes = std::size_t{256} << 20;
std::atomic<std::size_t> reserved{0};

constinit std::mutex mutex; // guards sends()

// MPI may read from these sends until the process ends.
constexpr auto& sends = lifetime::sole<Single>;

// The number of entries in sends(). sweep() reads it without the mutex. Relaxed: it orders nothing, and a
// later sweep finds what this one misses.
std::atomic<std::size_t> count{0};

} // namespace

std::optional<Reservation> Reservation::of(std::size_t bytes) noexcept {
  const auto reserve = [bytes] {
    if (reserved.fetch_add(bytes, std::memory_order_relaxed) + bytes <= most_bytes) return true;
    reserved.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  };
  if (reserve()) return Reservation(bytes);
  sweep(); // a process that never had to wait may not have swept
  if (reserve()) return Reservation(bytes);
  return std::nullopt;
}

Reservation::~Reservation() {
  reserved.fetch_sub(bytes_, std::memory_order_relaxed);
}

void keep(Single& one) noexcept {
  const std::lock_guard lock(mutex);
  sends().splice(sends().end(), one);
  count.store(sends().size(), std::memory_order_relaxed);
}

int send(std::unique_ptr<std::byte[]> bytes, std::size_t size, int receiver, int tag,
         Reservation& reservation) noexcept {
  try {
    Single one(1);
    DeferredSend& made = one.front();
    made.bytes = std::move(bytes);
    made.requests = {MPI_REQUEST_NULL};
    const int code = PMPI_Isend_c(made.bytes.get(), static_cast<MPI_Count>(size), MPI_BYTE, receiver, tag,
                                  ranks::world::comm(), &made.requests.front());
    if (code != MPI_SUCCESS) return code;
    made.reservation = std::move(reservation);
    keep(one);
    return code;
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  }
}

int send(std::span<const std::byte> bytes, int receiver, int tag) noexcept {
  std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes.size()]);
  if (memory == nullptr) return MPI_ERR_NO_MEM;
  std::ranges::copy(bytes, memory.get());
  Reservation none;
  return send(std::move(memory), bytes.size(), receiver, tag, none);
}

void sweep() noexcept {
  if (count.load(std::memory_order_relaxed) == 0) return;
  const ErrorsReturn errors(ranks::world::comm());
  const std::lock_guard lock(mutex);
  std::erase_if(sends(), [](DeferredSend& each) {
    auto& requests = each.requests;
    for (; !requests.empty(); requests.pop_back()) {
      int done = 0;
      PMPI_Test(&requests.back(), &done, MPI_STATUS_IGNORE); // a failed test is repeated later
      if (done == 0 && requests.back() != MPI_REQUEST_NULL) return false;
    }
    return true;
  });
  count.store(sends().size(), std::memory_order_relaxed);
}

} // namespace helper::message::deferred
