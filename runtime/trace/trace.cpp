// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "trace/trace.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

namespace helper::trace {

namespace {

struct Tracks {
  std::mutex mutex; // guards everything below
  std::optional<std::size_t> spans;
  std::deque<Track> tracks;
  std::deque<Counters> forgotten; // by function, without reasons
};

// The tracks are never destroyed: threads may communicate until the process ends.
Tracks& registry() {
  static auto* const instance = new Tracks;
  return *instance;
}

void keep(const Counters& counters, std::deque<Counters>& all) {
  const auto found = std::ranges::find(all, counters.operation, &Counters::operation);
  Counters& sum = found != all.end() ? *found : all.emplace_back(Counters{counters.operation});
  for (std::size_t way = 0; way < sum.calls.size(); ++way) sum.calls[way] += counters.calls[way].value();
  sum.bytes += counters.bytes.value();
  sum.time += counters.time.value();
  sum.waiting += counters.waiting.value();
  sum.own_chunks += counters.own_chunks.value();
  sum.helped_chunks += counters.helped_chunks.value();
}

// Tells whether the registry has spans. Relaxed: a thread that reads true asks it, under its lock.
constinit std::atomic<bool> on{false};

} // namespace

void start(std::size_t spans) {
  const std::lock_guard lock(registry().mutex);
  registry().spans = spans;
  on.store(true, std::memory_order_relaxed);
}

void count() {
  const std::lock_guard lock(registry().mutex);
  if (!registry().spans) registry().spans = 0;
  on.store(true, std::memory_order_relaxed);
}

bool is_on() noexcept {
  return on.load(std::memory_order_relaxed);
}

void clear() {
  const std::lock_guard lock(registry().mutex);
  for (Track& track : registry().tracks) {
    for (const Counters& counters : track.counters()) keep(counters, registry().forgotten);
    track.clear();
  }
}

Track* open(int team, int member) {
  Tracks& all = registry();
  const std::lock_guard lock(all.mutex);
  if (!all.spans) return nullptr;
  const auto closed = std::ranges::find_if(all.tracks, [&](Track& track) {
    return track.team() == team && track.member() == member && track.take();
  });
  return closed != all.tracks.end() ? &*closed : &all.tracks.emplace_back(team, member, *all.spans);
}

// It takes no lock: another thread may have held it when a child of a fork, which closes too, came to be.
void close(Track* track) noexcept {
  if (track != nullptr) track->give_back();
}

void visit_counters(const std::function<void(const Counters&)>& sink) {
  const std::lock_guard lock(registry().mutex);
  for (const Counters& counters : registry().forgotten) sink(counters);
  for (const Track& track : registry().tracks)
    for (const Counters& counters : track.counters()) sink(counters);
}

const std::deque<Track>& tracks() {
  return registry().tracks;
}

} // namespace helper::trace
