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

/// Which threads can wait for a word and wake waiters: those of this process, or of the whole node.
enum class Reach { process, node };

/// Sleeps while `word` is `expected`, until a thread of this process calls wake(), or at most until `until`.
void wait(const Word& word, std::uint32_t expected, Clock::time_point until) noexcept;

/// Sleeps while both words are as expected, until wake() for one of them or at most until `until`. Threads of
/// this process change `near`; threads of all processes of the node change `far`. If the system cannot wait
/// for two words, the thread notices a change of `near` up to a millisecond late.
void wait_either(const Word& near, std::uint32_t near_expected, const Word& far, std::uint32_t far_expected,
                 Clock::time_point until) noexcept;

/// Wakes up to `count` of the threads that wait for the word.
void wake(const Word& word, int count, Reach reach) noexcept;

} // namespace helper::team::futex
