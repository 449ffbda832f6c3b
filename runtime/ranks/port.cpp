// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "ranks/port.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <unordered_set>

#include "lifetime/never_destroyed.hpp"
#include "ranks/world.hpp"

namespace helper::ranks {

namespace {

/// Returns the number of ports, which is not 0, because MPI has at least 32,768 tags.
std::int64_t ports() noexcept {
  static const auto all = (std::int64_t{world::largest_tag(world::operations())} + 1) / Port::tags;
  return all;
}

struct Leased {
  std::mutex mutex;                      // guards the rest
  std::unordered_set<std::int64_t> tags; // of the leased ports, as their numbers modulo ports()
  std::int64_t newest = 0;               // the newest number that is not random
};

} // namespace

int Port::first_tag(std::int64_t number) noexcept {
  return static_cast<int>(number % ports()) * tags;
}

// Numbers that are not random only grow, so that the tags of a port are reused only after all others.
Port Port::lease(std::int64_t least) noexcept {
  Port port;
  try {
    Leased& all = lifetime::sole<Leased>();
    const std::lock_guard lock(all.mutex);
    if (static_cast<std::int64_t>(all.tags.size()) == ports()) return port;
    if (least >= first_drawn) {
      if (all.tags.insert(least % ports()).second) {
        port.number_ = least;
        return port;
      }
      least = 1;
    }
    all.newest = std::max(all.newest, least - 1);
    while (!all.tags.insert(++all.newest % ports()).second) {
    }
    port.number_ = all.newest;
  } catch (const std::bad_alloc&) { // other ranks wait for this rank's number: it is 0
  }
  return port;
}

Port::~Port() {
  if (number_ == 0) return;
  Leased& all = lifetime::sole<Leased>();
  const std::lock_guard lock(all.mutex);
  all.tags.erase(number_ % ports());
}

} // namespace helper::ranks
