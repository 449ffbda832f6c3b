// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "trace/track.hpp"

#include <algorithm>
#include <utility>

namespace helper::trace {

namespace {

// Fewer functions than this are recorded: no row is added later, where nothing may throw.
constexpr std::size_t most_operations = 256;

// Shorter waits than this are counted, but are no span of their own.
constexpr std::chrono::microseconds shortest_wait{1};

/// The last place stands for all algorithms for which there is no other.
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
  const auto begin = work_begins(); // ends a wait in the call around it
  return std::exchange(call_, {.operation = operation, .begin = begin});
}

void Track::leave(const Present& outer) noexcept {
  const auto now = work_begins(); // ends the last wait
  Counters& counters = counters_of(call_.operation);
  counters.calls[static_cast<std::size_t>(call_.way)] += 1;
  counters.bytes += call_.bytes;
  counters.time += now - call_.begin;
  counters.waiting += call_.waiting;
  record({call_.begin, now, call_.operation, call_.bytes, call_.ranks, Span::Kind::operation, Stage::work,
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
  record({waits_since_, now, call_.operation, 0, 0, Span::Kind::wait, Stage::work, Way::carried});
}

Clock::time_point Track::work_begins() noexcept {
  const auto now = Clock::now();
  stop_waiting(now);
  return now;
}

void Track::worked(Clock::time_point begin, Stage stage, const char* operation, int owner,
                   std::uint64_t size) noexcept {
  record({begin, Clock::now(), operation, size, owner, Span::Kind::chunk, stage, Way::carried});
  if (operation == nullptr) return;
  Counters& counters = counters_of(operation);
  (owner == member_ ? counters.own_chunks : counters.helped_chunks) += 1;
}

void Track::transferred(Clock::time_point begin, Stage stage, std::uint64_t bytes) noexcept {
  const auto now = work_begins();
  record({begin, now, call_.operation, bytes, 0, Span::Kind::messages, stage, Way::carried});
}

} // namespace helper::trace
