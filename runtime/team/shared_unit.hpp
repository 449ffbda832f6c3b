// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "team/futex.hpp"

namespace helper::team {

/// Detects threads of the MPI job that spin on the same core. The kernel may put two ranks on one core while
/// another program has a second core. Then a rank that spins keeps the rank that it waits for from running,
/// until its time slice ends. So it must move to another core, or yield. Threads note on which core they
/// spin. Any thread may call anything except set().
class SharedUnit {
public:
  /// The last two threads seen on a core. Several cores may share a note, so each word includes the core. The
  /// words are hints that order nothing: a lost word costs a time slice.
  struct alignas(64) Note {
    std::array<std::atomic<std::uint64_t>, 2> threads;
  };

  /// Sets the notes, which the processes of the node share. This process has number `process` among them. A
  /// word of zeros in a note means that there is no thread. The library calls it once, when no thread waits.
  static void set(std::span<Note> notes, int process) noexcept {
    own_.notes_ = notes;
    own_.process_ = process;
  }

  /// Returns whether another thread of the MPI job was seen on the calling thread's core within the last
  /// `memory`. If so, or if `long_` (the wait is long), notes that this thread is there. `now`: the time.
  static bool is_shared(futex::Clock::time_point now, bool long_) noexcept;

  /// Moves the calling thread to another core on which it may run. Its affinity is unchanged afterwards.
  /// Returns false if there is no such core, or if a thread of the process has moved within the last `stay`.
  static bool leave(futex::Clock::time_point now) noexcept;

  /// is_shared() ignores words that are older than this. It is longer than two time slices.
  static constexpr futex::Clock::duration memory = std::chrono::milliseconds(10);
  static constexpr futex::Clock::duration stay = std::chrono::milliseconds(100);

private:
  static SharedUnit own_;
  static std::uint64_t place_on(int unit) noexcept;
  static Note& note_of(int unit) noexcept {
    return own_.notes_[static_cast<std::size_t>(unit) % own_.notes_.size()];
  }

  Note alone_{};
  // set() writes them; waiting threads read them.
  std::span<Note> notes_{&alone_, 1};
  int process_ = 0;
  // When a thread of the process last moved, by Clock. Two may move at the same time; it orders nothing.
  std::atomic<futex::Clock::rep> moved_{0};
};

inline constinit SharedUnit SharedUnit::own_;

} // namespace helper::team
