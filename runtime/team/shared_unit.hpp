// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "team/futex.hpp"

namespace helper::team {

/// Knows which threads of the job spin on the same processing unit. The kernel may put two ranks on one unit
/// while another program has the other one. Then a wait that spins keeps out the rank that it waits for,
/// until its time slice ends. Such a wait must move to another unit, or yield.
///
/// Threads note where they spin. Any thread may call anything but set().
class SharedUnit {
public:
  /// The last two threads that were seen on a unit. Units whose numbers differ by a multiple of the number
  /// of notes have a note together, so each word says which unit it is about. Words are hints that order
  /// nothing: a word that is lost costs a time slice.
  struct alignas(64) Note {
    std::array<std::atomic<std::uint64_t>, 2> threads;
  };

  /// Sets the notes that threads use, which the processes of the node share; this one is number `process` of
  /// them. All zeros is nobody. The library calls it once, when no thread waits.
  static void set(std::span<Note> notes, int process) noexcept {
    notes_ = notes;
    process_ = process;
  }

  /// Returns whether another thread of the job has been seen on the calling thread's unit within `memory`.
  /// If so, or if the wait is `long_`, notes that this one is there.
  static bool is_shared(futex::Clock::time_point now, bool long_) noexcept;

  /// Moves the calling thread to another unit that it may use. Its affinity is the same afterwards. Returns
  /// false if there is none, or if a thread of the process has moved within `stay`.
  static bool leave(futex::Clock::time_point now) noexcept;

  /// This is longer than two time slices.
  static constexpr futex::Clock::duration memory = std::chrono::milliseconds(10);
  static constexpr futex::Clock::duration stay = std::chrono::milliseconds(100);

private:
  static inline Note own_{};
  static std::uint64_t place_on(int unit) noexcept;
  static Note& note_of(int unit) noexcept { return notes_[static_cast<std::size_t>(unit) % notes_.size()]; }

  // They are written by set() and read by threads that wait.
  static inline std::span<Note> notes_{&own_, 1};
  static inline constinit int process_ = 0;
  // When a thread of the process moved, as Clock counts. Two threads may move at once; it orders nothing.
  static inline constinit std::atomic<futex::Clock::rep> moved_{0};
};

} // namespace helper::team
