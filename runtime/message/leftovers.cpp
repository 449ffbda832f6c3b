// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/leftovers.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include "lifetime/never_destroyed.hpp"
#include "message/wait.hpp"
#include "native/large_counts.hpp"
#include "transport/world.hpp"

namespace helper::message::leftovers {

namespace {

// What all rooms may sum up to.
constexpr std::size_t most_bytes = std::size_t{256} << 20;

// What they do; orders nothing.
std::atomic<std::size_t> all_bytes{0};

/// Never destroyed: MPI may read from them until the process ends.
struct Leftovers {
  std::mutex mutex; // guards all
  Single all;
  // How many there are. For a look without the mutex by who sweeps sooner or later; relaxed.
  std::atomic<std::size_t> count{0};
};

Leftovers& leftovers() {
  static lifetime::NeverDestroyed<Leftovers> instance;
  return *instance;
}

} // namespace

std::optional<Room> Room::of(std::size_t bytes) noexcept {
  if (all_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes <= most_bytes) return Room(bytes);
  all_bytes.fetch_sub(bytes, std::memory_order_relaxed);
  return std::nullopt;
}

Room::~Room() {
  all_bytes.fetch_sub(bytes_, std::memory_order_relaxed);
}

void keep(Single& one) noexcept {
  Leftovers& left = leftovers();
  const std::lock_guard lock(left.mutex);
  left.all.splice(left.all.end(), one);
  left.count.store(left.all.size(), std::memory_order_relaxed);
}

namespace {

/// Sends the `size` bytes that `copy(memory)` puts there.
template <class Copy>
int send_copy(std::size_t size, const Copy& copy, int receiver, int tag, Room& room) noexcept {
  try {
    Single one(1);
    Leftover& left = one.front();
    left.bytes = std::make_unique_for_overwrite<std::byte[]>(size);
    left.requests = {MPI_REQUEST_NULL};
    copy(left.bytes.get());
    const int code = PMPI_Isend_c(left.bytes.get(), static_cast<MPI_Count>(size), MPI_BYTE, receiver, tag,
                                  transport::world::comm(), &left.requests.front());
    if (code != MPI_SUCCESS) return code;
    left.room = std::move(room);
    keep(one);
    return code;
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  }
}

} // namespace

int send(std::span<const std::byte> bytes, int receiver, int tag) noexcept {
  Room none;
  return send_copy(
      bytes.size(), [&](std::byte* memory) { std::ranges::copy(bytes, memory); }, receiver, tag, none);
}

int send(const Data& data, std::size_t begin, int receiver, int tag, Room& room) noexcept {
  return send_copy(
      data.size() - begin, [&](std::byte* memory) { data.pack(begin, data.size(), memory); }, receiver, tag,
      room);
}

void sweep() noexcept {
  Leftovers& left = leftovers();
  if (left.count.load(std::memory_order_relaxed) == 0) return;
  const Quiet quiet(transport::world::comm());
  const std::lock_guard lock(left.mutex);
  std::erase_if(left.all, [](Leftover& leftover) {
    auto& requests = leftover.requests;
    for (; !requests.empty(); requests.pop_back()) {
      int done = 0;
      PMPI_Test(&requests.back(), &done, MPI_STATUS_IGNORE); // what fails and is not over is tried again
      if (done == 0 && requests.back() != MPI_REQUEST_NULL) return false;
    }
    return true;
  });
  left.count.store(left.all.size(), std::memory_order_relaxed);
}

} // namespace helper::message::leftovers
