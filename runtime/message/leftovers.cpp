// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/leftovers.hpp"

#include <mpi.h>

#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "transport/world.hpp"

namespace helper::message::leftovers {

namespace {

struct Leftover {
  std::unique_ptr<std::byte[]> bytes;
  MPI_Request request;
};

/// Never destroyed: MPI may read from them until the process ends.
struct Leftovers {
  std::mutex mutex; // guards all
  std::vector<Leftover> all;
};

Leftovers& leftovers() {
  static auto* const instance = new Leftovers;
  return *instance;
}

} // namespace

bool send(const Data& data, std::size_t begin, int receiver, int tag) noexcept {
  sweep();
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
    left.all.push_back({std::move(bytes), request});
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void sweep() noexcept {
  Leftovers& left = leftovers();
  const std::lock_guard lock(left.mutex);
  std::erase_if(left.all, [](Leftover& leftover) {
    int done = 0;
    PMPI_Test(&leftover.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

} // namespace helper::message::leftovers
