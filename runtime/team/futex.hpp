// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

/// Functions that sleep until a word in memory has changed. Every wait may also return spuriously.
namespace helper::team::futex {

using Word = std::atomic<std::uint32_t>;
using Clock = std::chrono::steady_clock;

/// Which threads can wait for a word and wake waiters: those of the process, or of the node.
enum class Reach { process, node };

/// Sleeps while `word` is `expected`, until woken or `until`. Only this process wakes.
void wait(const Word& word, std::uint32_t expected, Clock::time_point until) noexcept;

/// Sleeps while both words are as expected. Threads of the process change `near`, threads of the node `far`.
/// If the system has no such wait, a wake by `near` is noticed up to a millisecond later.
void wait_either(const Word& near, std::uint32_t near_expected, const Word& far, std::uint32_t far_expected,
                 Clock::time_point until) noexcept;

/// Wakes up to `count` of the threads that wait for the word.
void wake(const Word& word, int count, Reach reach) noexcept;

} // namespace helper::team::futex
