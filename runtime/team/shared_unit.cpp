// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/shared_unit.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace helper::team {

namespace {

// A word of a Note has, from the highest bits: a place (the thread's number, then its core), a time in ms.
constexpr unsigned thread_bits = 24;
constexpr unsigned time_bits = 28;
constexpr unsigned unit_bits = 12;

constexpr std::uint64_t lowest(std::uint64_t word, unsigned bits) {
  return word & ((std::uint64_t{1} << bits) - 1);
}

constexpr std::uint64_t milliseconds(futex::Clock::duration time) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

} // namespace

/// Returns the calling thread's place on the core `unit`. Threads of two processes have different places,
/// even if their ids are equal because the processes are in different containers.
std::uint64_t SharedUnit::place_on(int unit) noexcept {
  const auto thread =
      static_cast<std::uint64_t>(gettid()) + 99991 * static_cast<std::uint64_t>(own_.process_);
  return (lowest(thread, thread_bits) << unit_bits) | lowest(static_cast<std::uint64_t>(unit), unit_bits);
}

bool SharedUnit::is_shared(futex::Clock::time_point now, bool long_) noexcept {
  const int unit = sched_getcpu();
  if (unit < 0) return false;
  const std::uint64_t here = place_on(unit);
  const std::uint64_t time = milliseconds(now.time_since_epoch());
  const auto age = [time](std::uint64_t word) { return lowest(time - word, time_bits); };

  auto& [first, second] = note_of(unit).threads;
  const std::array words{first.load(std::memory_order_relaxed), second.load(std::memory_order_relaxed)};
  const bool shared = std::ranges::any_of(words, [&](std::uint64_t word) {
    const std::uint64_t there = word >> time_bits;
    return word != 0 && there != here && lowest(there ^ here, unit_bits) == 0 &&
           age(word) <= milliseconds(memory);
  });
  if (!shared && !long_) return false;

  const auto is_own = [here](std::uint64_t word) { return word >> time_bits == here; };
  auto& own = is_own(words[0]) || (!is_own(words[1]) && age(words[0]) >= age(words[1])) ? first : second;
  const std::uint64_t word = (here << time_bits) | lowest(time, time_bits);
  if (own.load(std::memory_order_relaxed) != word) own.store(word, std::memory_order_relaxed);
  return shared;
}

bool SharedUnit::leave(futex::Clock::time_point now) noexcept {
  const auto time = now.time_since_epoch();
  if (time - futex::Clock::duration(own_.moved_.load(std::memory_order_relaxed)) < stay) return false;
  const int unit = sched_getcpu();
  cpu_set_t given;
  if (unit < 0 || sched_getaffinity(0, sizeof given, &given) != 0) return false;
  cpu_set_t others = given;
  CPU_CLR(static_cast<unsigned>(unit), &others);
  if (CPU_COUNT(&others) == 0) return false;
  own_.moved_.store(time.count(), std::memory_order_relaxed);

  // Clears this thread's place, so that the thread that stays does not find it.
  const std::uint64_t here = place_on(unit);
  for (auto& thread : note_of(unit).threads) {
    if (thread.load(std::memory_order_relaxed) >> time_bits == here)
      thread.store(0, std::memory_order_relaxed);
  }
  if (sched_setaffinity(0, sizeof others, &others) != 0) return false;
  // Restores the affinity, unless somebody else has changed it meanwhile.
  cpu_set_t bound;
  if (sched_getaffinity(0, sizeof bound, &bound) == 0 && CPU_EQUAL(&bound, &others))
    sched_setaffinity(0, sizeof given, &given);
  return true;
}

} // namespace helper::team
