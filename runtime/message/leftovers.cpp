// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/leftovers.hpp"

#include <mpi.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "transport/world.hpp"

namespace helper::message::leftovers {

namespace {

// What all rooms may sum up to.
constexpr std::size_t most_bytes = std::size_t{256} << 20;

// What they do; orders nothing.
std::atomic<std::size_t> all_bytes{0};

struct Leftover {
  Room room;
  std::unique_ptr<std::byte[]> bytes;
  MPI_Request request;
};

/// Never destroyed: MPI may read from them until the process ends.
struct Leftovers {
  std::mutex mutex; // guards all
  std::vector<Leftover> all;
  // How many there are. For a look without the mutex by who sweeps sooner or later; relaxed.
  std::atomic<std::size_t> count{0};
};

Leftovers& leftovers() {
  static auto* const instance = new Leftovers;
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

bool send(const Data& data, std::size_t begin, int receiver, int tag, Room& room) noexcept {
  try {
    auto bytes = std::make_unique_for_overwrite<std::byte[]>(data.size() - begin);
    data.pack(begin, data.size(), bytes.get());
    Leftovers& left = leftovers();
    const std::lock_guard lock(left.mutex);
    left.all.reserve(left.all.size() + 1);
    MPI_Request request = MPI_REQUEST_NULL;
    if (PMPI_Isend_c(bytes.get(), static_cast<MPI_Count>(data.size() - begin), MPI_BYTE, receiver, tag,
                     transport::world::comm(), &request) != MPI_SUCCESS)
      return false;
    left.all.push_back({std::move(room), std::move(bytes), request});
    left.count.store(left.all.size(), std::memory_order_relaxed);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void sweep() noexcept {
  Leftovers& left = leftovers();
  if (left.count.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(left.mutex);
  std::erase_if(left.all, [](Leftover& leftover) {
    int done = 0;
    PMPI_Test(&leftover.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
  left.count.store(left.all.size(), std::memory_order_relaxed);
}

} // namespace helper::message::leftovers
