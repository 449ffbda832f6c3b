// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

/// Functions that sleep until a word in memory has changed. Every wait may also return for no reason.
namespace helper::team::futex {

using Word = std::atomic<std::uint32_t>;
using Clock = std::chrono::steady_clock;

/// The threads that may wait for a word and wake those that wait: of the process, or of the node.
enum class Reach { process, node };

/// Sleeps while `word` is `expected`, until woken or `until`. The word is within reach of this process.
void wait(const Word& word, std::uint32_t expected, Clock::time_point until) noexcept;

/// Does what wait() does for two words: sleeps while both are as expected. `near` is within reach of this
/// process, `far` of the node. Where the system knows no such wait, a wake by `near` is noticed a millisecond
/// later.
void wait_either(const Word& near, std::uint32_t near_expected, const Word& far, std::uint32_t far_expected,
                 Clock::time_point until) noexcept;

/// Wakes up to `count` of the threads that wait for the word.
void wake(const Word& word, int count, Reach reach) noexcept;

} // namespace helper::team::futex
