// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/contention.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <ctime>

#include "lifetime/of_thread.hpp"
#include "team/pause.hpp"

namespace helper::team {

namespace {

// A delay of less than one part in `least_part` of the time does not justify spinning.
constexpr int least_part = 50;
constexpr Contention::Clock::duration time_between_looks = std::chrono::milliseconds(1);

/// Returns the second number in the schedstat file of the calling thread: its run-queue delay in nanoseconds.
/// Opens the file each time, since the program might close an open descriptor and reuse its number.
std::optional<Contention::Clock::duration> run_queue_delay() noexcept {
  const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::array<char, 80> text{};
  const auto length = ::read(file, text.data(), text.size());
  close(file);
  if (length <= 0) return std::nullopt;
  const char* const end = text.data() + length;
  long run = 0, delay = 0;
  const auto first = std::from_chars(text.data(), end, run);
  if (first.ptr == end || std::from_chars(first.ptr + 1, end, delay).ec != std::errc()) return std::nullopt;
  return std::chrono::nanoseconds(delay);
}

Contention::Clock::duration processor_time() noexcept {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

bool is_foreign(const Contention::Sample& before, const Contention::Sample& now) noexcept {
  using std::chrono::duration_cast, std::chrono::microseconds;
  const auto time = now.at - before.at;
  const auto queued = now.queued - before.queued;
  return queued >= Contention::shortest_delay && queued >= time / least_part &&
         !Oversubscription::fills_units(duration_cast<microseconds>(now.used - before.used),
                                        duration_cast<microseconds>(time));
}

} // namespace

std::optional<Contention::Sample> Contention::read() noexcept {
  const auto queued = run_queue_delay();
  if (!queued) return std::nullopt;
  return Sample{Clock::now(), *queued, processor_time()};
}

void Contention::woke(Clock::time_point now) noexcept {
  const auto* const last = lifetime::of_thread<std::optional<Sample>>();
  if (last == nullptr || (*last && now - (*last)->at < time_between_looks)) return;
  look(own_.until_.load(std::memory_order_relaxed));
}

/// Samples the calling thread. Returns whether other programs delayed it since its last sample; false at its
/// first. If they did, contention lasts for another `period`; otherwise it ends at `until`, as set before.
bool Contention::look(Clock::rep until) noexcept {
  auto* const last = lifetime::of_thread<std::optional<Sample>>();
  const auto sample = last == nullptr ? std::nullopt : own_.read_();
  if (!sample) {
    own_.until_.store(never, std::memory_order_relaxed);
    return false;
  }
  const bool foreign = *last && is_foreign(**last, *sample);
  *last = sample;
  const auto now = sample->at.time_since_epoch().count();
  if (foreign)
    own_.until_.store(now + period.count(), std::memory_order_relaxed);
  else if (until <= now)
    own_.until_.store(never, std::memory_order_relaxed);
  return foreign;
}

} // namespace helper::team
