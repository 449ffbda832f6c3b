// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace helper::team {

class Member;

/// Work of idle members other than running chunks: they advance operations that continue without the thread
/// that started them. It must not call MPI. By default there is none.
class AsyncProgress {
public:
  using Pending = bool (*)() noexcept;
  using Advance = bool (*)(Member& member) noexcept;

  /// Sets the two functions. `pending` returns whether anything may be advanced, now or once another process
  /// has done its part, which then rings this process's bell. `advance` does a piece of the work, and returns
  /// false if there was none. Any thread calls them. Called at MPI_Init, before there are members.
  static void set(Pending pending, Advance advance) noexcept {
    pending_ = pending;
    advance_ = advance;
  }

  static bool pending() noexcept { return pending_(); }
  static bool advance(Member& member) noexcept { return advance_(member); }

private:
  // The pointers are written by set() and read by members.
  static inline constinit Pending pending_ = []() noexcept { return false; };
  static inline constinit Advance advance_ = [](Member&) noexcept { return false; };
};

} // namespace helper::team
