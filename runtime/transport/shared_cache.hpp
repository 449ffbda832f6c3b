// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>

/// This tells whether this process and others of the node run on processors that share a cache. The topology
/// does not say so reliably, least of all in a virtual machine, which may move its processors several times a
/// second. So it is measured now and then: a process writes to lines that another one has just read, which
/// takes several times as long if they come from beyond the last cache.
namespace helper::transport::shared_cache {

/// This is what a process has in the node's segment for it.
struct Probe {
  // This says which process is to read the lines, and how often their owner has asked any. The owner stores
  // it with release once it has written them; the others load it with acquire.
  alignas(64) std::atomic<std::uint64_t> question;
  // This is the last question whose process has read the lines, and when it did, in nanoseconds of the node's
  // clock. That process stores both, the question last, with release; the owner loads it with acquire.
  alignas(64) std::atomic<std::uint64_t> answered;
  std::atomic<std::int64_t> answered_at;
  // It matters who has these lines in a cache, and not what is in them: accesses are relaxed.
  struct alignas(64) Line {
    std::atomic<std::uint64_t> word;
  };
  std::array<Line, 8> lines;
};

/// Begins to measure, with these probes of all processes of the node, of which `own` is this one's. It is
/// called at MPI_Init.
void start(std::span<Probe> all, int own);

/// Lines that another processor has read this long ago may have left its cache.
inline constexpr std::chrono::microseconds usually_fresh(10);

/// Reads the lines of those of these processes that have asked this one; measures the one that this process
/// has asked, if it has read the lines just now, and asks another one of these. Returns true if it has
/// measured. So processes that share data look at each other when they meet, now and then. Processes are
/// counted as in NodeRanks. It takes some 20 ns, and 200 if it measures, and does not wait. Any thread may
/// call it.
bool look(std::span<const int> processes, std::chrono::nanoseconds fresh = usually_fresh) noexcept;

/// Says whether this process shares a cache with all of these, as far as has been measured. Any thread may
/// call it.
enum class Answer : std::uint8_t { unknown, no, yes };
Answer with(std::span<const int> processes) noexcept;

} // namespace helper::transport::shared_cache
