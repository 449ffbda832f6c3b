// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lifetime/never_destroyed.hpp"

namespace helper::shm {

/// Cache lines that a process writes to measure how far away the core is that has just read them.
class ProbedLines {
public:
  /// Reads the lines. The process that the owner of the lines has asked calls it.
  void read() const noexcept {
    for (std::size_t at = 0; at < words_.size(); at += words_of_line)
      static_cast<void>(words_[at].load(std::memory_order_relaxed));
  }

  /// Writes the lines, which another process has just read. Returns whether that process shares a cache with
  /// the caller. If so, plain stores, which fetch the lines from that cache, are not much slower than
  /// streaming stores. Returns nothing if the thread was interrupted.
  std::optional<bool> are_near() noexcept;

private:
  static constexpr std::size_t words_of_line = 8;
  // The contents of these 64 lines do not matter, only which caches hold them: accesses are relaxed.
  alignas(64) std::array<std::atomic<std::uint64_t>, 64 * words_of_line> words_;
};

/// Finds out whether this process shares a cache with other processes of the node. The system's topology is
/// not reliable: virtual machines move their cores. So a process writes to lines that another has just read.
class SharedCache {
public:
  /// A process's part of memory that all processes of the node share. It starts as zeros.
  struct Probe {
    // The asker: the process, counted from 1, that asks the owner of this Probe to read the asker's lines; 0
    // if none. A process asks by replacing 0 by its number. The owner stores 0 when it has read the lines;
    // the asker does so when it withdraws. Loads acquire; exchanges acquire and release.
    alignas(64) std::atomic<int> asked_by;
    // When the lines of this Probe were read, in nanoseconds. The owner stores 0 before it asks. The process
    // that has read the lines stores the time with release, and the owner loads it with acquire.
    alignas(64) std::atomic<std::int64_t> read_at;
    ProbedLines lines;
  };

  /// Returns this process's object. Before open(), with() returns `no`. Any thread may call it.
  static SharedCache& own() { return lifetime::sole<SharedCache>(); }

  /// Begins to measure, once. `all`: the probes of the node's processes; `self`: the index of this process.
  void open(std::span<Probe> all, int self);

  /// Does one step, without waiting. Reads the lines of a process that asks for it. Measures, if the asked
  /// process has just read the lines. Then asks a process of `processes`, unless it was measured a moment
  /// ago. Returns false if another look soon may help. Called when processes meet. Any thread may call it.
  bool look(std::span<const int> processes) noexcept;

  /// Returns whether the process shares a cache with all of `processes`. Any thread may call it.
  enum class Answer : std::uint8_t { unknown, no, yes };
  Answer with(std::span<const int> processes) const noexcept;

private:
  using Clock = std::chrono::steady_clock;
  static constexpr int nobody = -1;

  /// The measurements of another process.
  struct Other {
    std::atomic<Answer> answer{Answer::unknown}; // of the last measurements: a hint, so accesses are relaxed
    // Until this time the last measurement counts as recent: a hint, so accesses are relaxed.
    std::atomic<Clock::rep> is_fresh_until{0};
    std::uint64_t asked = 0; // the number of the last question to the process; 0 if none
    int votes = 0;           // of measurements: above 0 if a cache is shared

    bool is_fresh(Clock::rep now) const noexcept {
      return now < is_fresh_until.load(std::memory_order_relaxed);
    }
  };

  Probe& probe(int process) const noexcept { return probes_[static_cast<std::size_t>(process)]; }
  bool has_nothing_to_do(std::span<const int> processes) const noexcept;
  void answer() noexcept;
  bool is_over(std::int64_t read_at) noexcept;
  bool ask(std::span<const int> processes) noexcept;
  void measure(Other& reader) noexcept;

  std::span<Probe> probes_;
  int self_ = nobody;
  std::vector<Other> others_; // by process
  // The process asked last, until it is measured or given up. Written by the looking thread; a relaxed hint.
  std::atomic<int> asked_{nobody};
  // Held by the thread in look(), which alone uses the members below, Other's non-atomic ones, and the lines.
  std::atomic_flag is_looking_ = ATOMIC_FLAG_INIT;
  std::uint64_t questions_ = 0;
  int looks_left_ = 0;
};

} // namespace helper::shm
