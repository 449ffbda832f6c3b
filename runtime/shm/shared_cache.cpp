// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/shared_cache.hpp"

#include <algorithm>
#include <cstddef>

#include "layout/past_caches.hpp"

namespace helper::shm {

namespace {

using Clock = std::chrono::steady_clock;

/// Returns how long `write()` takes until its stores have left the store buffer.
template <class Write>
Clock::duration time_of(const Write& write) noexcept {
  const auto begun = Clock::now();
  write();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return Clock::now() - begun;
}

} // namespace

/// Absolute times depend on the processor, so both plain and streaming stores are measured. Plain stores are
/// much slower only without a shared cache. Most of the time is latency, so fewer lines would be unreliable.
std::optional<bool> ProbedLines::are_near() noexcept {
  constexpr auto interrupted = std::chrono::microseconds(4);
  static constexpr std::array<std::byte, sizeof words_> zeros{};
  const auto plain = time_of([this] {
    for (std::size_t at = 0; at < words_.size(); at += words_of_line)
      words_[at].store(0, std::memory_order_relaxed);
  });
  const auto stream = [this] {
    layout::copy_past_caches(reinterpret_cast<std::byte*>(words_.data()), zeros.data(), zeros.size());
  };
  const auto first = time_of(stream); // usually slower, since it has to fetch zeros and code
  const auto streaming = std::min(first, time_of(stream));
  if (plain > interrupted || streaming > interrupted) return std::nullopt;
  return !layout::can_pass_caches || plain < 2 * streaming;
}

void SharedCache::open(std::span<Probe> all, int self) {
  probes_ = all;
  self_ = self;
  others_ = std::vector<Other>(all.size());
}

bool SharedCache::look(std::span<const int> processes) noexcept {
  constexpr auto just_now = std::chrono::microseconds(10); // later the lines may have left the reader's cache
  if (probes_.empty() || processes.empty() || has_nothing_to_do(processes)) return true;
  if (is_looking_.test_and_set(std::memory_order_acquire)) return false;
  answer();
  const std::int64_t read_at = probe(self_).read_at.load(std::memory_order_acquire);
  bool has_measured = false, is_waiting = true;
  if (is_over(read_at)) {
    const int asked = asked_.exchange(nobody, std::memory_order_relaxed);
    has_measured = asked != nobody && read_at != 0 &&
                   Clock::now().time_since_epoch() - Clock::duration(read_at) < just_now;
    if (has_measured) measure(others_[static_cast<std::size_t>(asked)]);
    is_waiting = ask(processes);
  }
  is_looking_.clear(std::memory_order_release);
  return has_measured || !is_waiting;
}

/// Returns whether look() would do nothing, judged from values that may change at any time. So a rank that
/// has just written data for other ranks avoids an atomic exchange, which would wait for these stores.
bool SharedCache::has_nothing_to_do(std::span<const int> processes) const noexcept {
  if (probe(self_).asked_by.load(std::memory_order_relaxed) != 0 ||
      asked_.load(std::memory_order_relaxed) != nobody)
    return false;
  const Clock::rep now = Clock::now().time_since_epoch().count();
  return std::ranges::all_of(
      processes, [&](int process) { return others_[static_cast<std::size_t>(process)].is_fresh(now); });
}

SharedCache::Answer SharedCache::with(std::span<const int> processes) const noexcept {
  if (probes_.empty()) return Answer::no;
  Answer all = Answer::yes;
  for (const int process : processes)
    all = std::min(all, others_[static_cast<std::size_t>(process)].answer.load(std::memory_order_relaxed));
  return all;
}

void SharedCache::answer() noexcept {
  int asker = probe(self_).asked_by.load(std::memory_order_acquire);
  if (asker == 0) return;
  Probe& theirs = probe(asker - 1);
  theirs.lines.read();
  theirs.read_at.store(Clock::now().time_since_epoch().count(), std::memory_order_release);
  probe(self_).asked_by.compare_exchange_strong(asker, 0,
                                                std::memory_order_acq_rel); // unless the asker has withdrawn
}

/// Returns whether the last question has been answered. After many looks, withdraws it and returns true. If
/// the asked process answers at this moment, its answer may be taken for the answer to the next question.
bool SharedCache::is_over(std::int64_t read_at) noexcept {
  const int asked = asked_.load(std::memory_order_relaxed);
  if (asked == nobody || read_at != 0) return true;
  if (--looks_left_ > 0) return false;
  int self = self_ + 1;
  probe(asked).asked_by.compare_exchange_strong(self, 0, std::memory_order_acq_rel);
  return true;
}

/// Asks the process of `processes` that was asked longest ago, unless a third process asks it. Returns false
/// without asking if that process was measured a moment ago: then looks cost as little as if nobody measured.
bool SharedCache::ask(std::span<const int> processes) noexcept {
  constexpr int most_looks = 256;
  const int next = *std::ranges::min_element(
      processes, {}, [this](int process) { return others_[static_cast<std::size_t>(process)].asked; });
  Other& other = others_[static_cast<std::size_t>(next)];
  if (other.is_fresh(Clock::now().time_since_epoch().count())) return false;
  other.asked = ++questions_;
  probe(self_).read_at.store(0, std::memory_order_relaxed); // the exchange releases it
  int none = 0;
  const bool is_asked =
      probe(next).asked_by.compare_exchange_strong(none, self_ + 1, std::memory_order_acq_rel);
  if (is_asked) asked_.store(next, std::memory_order_relaxed);
  looks_left_ = most_looks;
  return true;
}

/// Measures `reader`, the process that has read the lines. Several measurements must agree to change the
/// answer. "No shared cache" counts twice: without one, up to a third of the measurements find lines near.
void SharedCache::measure(Other& reader) noexcept {
  constexpr auto a_moment = std::chrono::microseconds(200);
  constexpr int for_near = 1, for_far = -2, most_for_near = 2, most_for_far = -4;
  const std::optional<bool> near = probe(self_).lines.are_near();
  reader.is_fresh_until.store((Clock::now() + a_moment).time_since_epoch().count(),
                              std::memory_order_relaxed);
  if (!near) return;
  reader.votes = std::clamp(reader.votes + (*near ? for_near : for_far), most_for_far, most_for_near);
  if (reader.votes == 0) return;
  reader.answer.store(reader.votes > 0 ? Answer::yes : Answer::no, std::memory_order_relaxed);
}

} // namespace helper::shm
