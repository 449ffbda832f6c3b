// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "trace/trace.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

namespace helper::trace {

namespace {

struct Registry {
  std::mutex mutex; // guards everything below
  std::optional<std::size_t> spans;
  std::deque<Track> tracks;
};

// Never destroyed: threads may communicate until the process ends.
Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

} // namespace

void start(std::size_t spans) {
  const std::lock_guard lock(registry().mutex);
  registry().spans = spans;
}

void clear() {
  const std::lock_guard lock(registry().mutex);
  for (Track& track : registry().tracks) track.clear();
}

Track* open(int team, int member) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (!all.spans) return nullptr;
  const auto closed = std::ranges::find_if(all.tracks, [&](Track& track) {
    return track.team() == team && track.member() == member && track.take();
  });
  return closed != all.tracks.end() ? &*closed : &all.tracks.emplace_back(team, member, *all.spans);
}

// Without the lock: another thread may have held it when a child of a fork, which closes too, came to be.
void close(Track* track) noexcept {
  if (track != nullptr) track->give_back();
}

const std::deque<Track>& tracks() {
  return registry().tracks;
}

} // namespace helper::trace
