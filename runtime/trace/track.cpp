// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "trace/track.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

namespace helper::trace {

namespace {

// More functions than are ever recorded. Rows are allocated in advance, since later code must not throw.
constexpr std::size_t most_operations = 256;

// Shorter waits are counted, but have no span.
constexpr std::chrono::microseconds shortest_wait{1};

/// Counts a call that `algorithm` carried. The last element counts all algorithms that have no element.
void count(std::span<Counters::Share> algorithms, const char* algorithm) noexcept {
  auto place = std::ranges::find_if(algorithms, [&](const Counters::Share& share) {
    return share.text == algorithm || share.text == nullptr;
  });
  if (place == algorithms.end()) --place;
  if (place->text == nullptr) place->text = algorithm;
  ++place->calls;
}

} // namespace

Track::Track(int team, int member, std::size_t spans)
    : team_(team), member_(member), capacity_(spans),
      spans_(std::make_unique_for_overwrite<Span[]>(capacity_)) {
  counters_.reserve(most_operations);
}

Counters& Track::counters_of(const char* operation) noexcept {
  const auto found = std::ranges::find(counters_, operation, &Counters::operation);
  if (found != counters_.end()) return *found;
  if (counters_.size() == most_operations) return counters_.back();
  Counters& added = counters_.emplace_back(Counters{operation});
  ready_.store(counters_.size(), std::memory_order_release);
  return added;
}

void Track::record(const Span& span) noexcept {
  if (capacity_ != 0) spans_[recorded_++ % capacity_] = span;
}

Present Track::enter(const char* operation) noexcept {
  const auto begin = work_begins(); // ends a wait in the enclosing call
  return std::exchange(call_, {.operation = operation, .begin = begin});
}

void Track::leave(const Present& outer) noexcept {
  const auto now = work_begins(); // ends the last wait
  Counters& counters = counters_of(call_.operation);
  counters.calls[static_cast<std::size_t>(call_.way)] += 1;
  counters.bytes += call_.bytes;
  counters.time += now - call_.begin;
  counters.waiting += call_.waiting;
  record({call_.begin, now, call_.operation, call_.bytes, call_.ranks, Span::SpanKind::operation, Stage::work,
          call_.way, call_.algorithm});
  if (call_.way == Way::carried && call_.algorithm != nullptr) count(counters.algorithms, call_.algorithm);
  const Clock::duration waiting = call_.waiting;
  call_ = outer;
  call_.waiting += waiting;
}

void Track::decline(const char* reason) {
  if (call_.operation == nullptr) return;
  auto& declined = counters_of(call_.operation).declined;
  const auto found = std::ranges::find(declined, reason, &Counters::Share::text);
  if (found != declined.end()) {
    ++found->calls;
  } else {
    declined.push_back({reason, 1});
  }
}

void Track::moved(std::uint64_t bytes, int ranks) noexcept {
  call_.bytes = bytes;
  call_.ranks = ranks;
}

void Track::wait() noexcept {
  if (waits_) return;
  waits_ = true;
  waits_since_ = Clock::now();
}

void Track::stop_waiting(Clock::time_point now) noexcept {
  if (!waits_) return;
  waits_ = false;
  call_.waiting += now - waits_since_;
  if (now - waits_since_ < shortest_wait) return;
  record({waits_since_, now, call_.operation, 0, 0, Span::SpanKind::wait, Stage::work, Way::carried});
}

Clock::time_point Track::work_begins() noexcept {
  const auto now = Clock::now();
  stop_waiting(now);
  return now;
}

void Track::worked(Clock::time_point begin, Stage stage, const char* operation, int owner,
                   std::uint64_t size) noexcept {
  record({begin, Clock::now(), operation, size, owner, Span::SpanKind::chunk, stage, Way::carried});
  if (operation == nullptr) return;
  Counters& counters = counters_of(operation);
  (owner == member_ ? counters.own_chunks : counters.helped_chunks) += 1;
}

void Track::transferred(Clock::time_point begin, Stage stage, std::uint64_t bytes) noexcept {
  const auto now = work_begins();
  record({begin, now, call_.operation, bytes, 0, Span::SpanKind::messages, stage, Way::carried});
}

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

// Whether members are recorded. Relaxed: a thread that reads true then takes the registry's lock.
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

// Takes no lock. A forked child closes tracks as well, and a thread of the parent may have held the lock.
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
