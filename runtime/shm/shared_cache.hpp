// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lifetime/never_destroyed.hpp"

namespace helper::shm {

/// Lines of a process that it writes to measure how far away the core is that has just read them.
class ProbedLines {
public:
  /// Reads them. The process that is asked to calls it.
  void read() const noexcept {
    for (const Line& line : lines_) static_cast<void>(line.words[0].load(std::memory_order_relaxed));
  }

  /// Writes them, and returns whether the reader shares a cache with the caller, their owner: plain stores,
  /// which fetch the lines from the reader, are not much slower than streaming stores, which do not. Returns
  /// nothing where it was interrupted.
  std::optional<bool> are_near() noexcept;

private:
  // The contents of these lines do not matter, only which caches hold them: accesses are relaxed.
  struct alignas(64) Line {
    std::array<std::atomic<std::uint64_t>, 8> words;
  };
  std::array<Line, 64> lines_;
};

/// Finds out whether this process and others of its node run on cores that share a cache. The topology does
/// not say so reliably: a virtual machine may move its cores several times a second. So processes measure it
/// now and then: one writes to lines that another has just read. Processes are numbered as in NodeRanks.
class SharedCache {
public:
  /// The part of a process in memory that all share. It starts as zeros.
  struct Probe {
    // The process that asks the owner to read its lines, counted from 1 on, or 0. One that asks puts itself
    // here if nobody is; the owner makes it 0 when it has read them, or the asker if it asks no longer. It is
    // read with acquire, and changed by exchanges that acquire and release.
    alignas(64) std::atomic<int> asked_by;
    // When the owner's lines were read, in nanoseconds of the node's clock. The owner makes it 0 before it
    // asks. The process that has read the lines stores it with release, and the owner loads it with acquire.
    alignas(64) std::atomic<std::int64_t> read_at;
    ProbedLines lines;
  };

  /// Returns that of this process; it knows of nobody until open() is called. Any thread may call it.
  static SharedCache& own() { return lifetime::sole<SharedCache>(); }

  /// Begins to measure, with the probes of all processes, of which `self` is this one's. It is called once,
  /// before any other thread communicates.
  void open(std::span<Probe> all, int self);

  /// Reads the lines of the process that asks this one; measures the one that this process has asked, if it
  /// has read the lines just now, and asks another one of these, unless that was measured a moment ago.
  /// Returns false where it waits for an answer, so that to look again soon may help. So processes that share
  /// data look at each other when they meet, now and then. It takes some 40 ns, and 1,500 if it measures, and
  /// does not wait. Any thread may call it.
  bool look(std::span<const int> processes) noexcept;

  /// Returns whether the process shares a cache with all of these, as far as it has been measured. Any thread
  /// may call it.
  enum class Answer : std::uint8_t { unknown, no, yes };
  Answer with(std::span<const int> processes) const noexcept;

private:
  using Clock = std::chrono::steady_clock;
  static constexpr int nobody = -1;

  /// The measurements of another process.
  struct Other {
    std::atomic<Answer> answer{Answer::unknown}; // of the last measurements: a hint, so accesses are relaxed
    // It was measured a moment ago until then, by the clock: a hint, so accesses are relaxed.
    std::atomic<Clock::rep> is_fresh_until{0};
    std::uint64_t asked = 0; // in this question, last; 0 if in none
    int votes = 0;           // of measurements: above 0 that a cache is shared

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
  // The process that has been asked, and has not been measured or given up. The thread that looks writes it;
  // to others it is a hint, so accesses are relaxed.
  std::atomic<int> asked_{nobody};
  // The thread that looks holds this. It alone uses what follows, Other's plain members, and the own lines.
  std::atomic_flag is_looking_ = ATOMIC_FLAG_INIT;
  std::uint64_t questions_ = 0;
  int looks_left_ = 0;
};

} // namespace helper::shm
