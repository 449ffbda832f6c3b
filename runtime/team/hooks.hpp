// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace helper::team {

class Member;

/// What waiting threads do for layers above this one, which does not know MPI: by default nothing. A layer
/// sets its functions at MPI_Init, before there are members.
struct Hooks {
  /// MPI makes progress only while it is polled. is_needed() returns whether others may be waiting for this
  /// process to poll; poll() polls once. Threads that wait in an MPI call call both.
  bool (*is_needed)() noexcept = []() noexcept { return false; };
  void (*poll)() noexcept = []() noexcept {};

  /// Idle members advance operations that continue without the thread that started them. pending() returns
  /// whether anything may be advanced, now or once another process has done its part, which then rings this
  /// process's bell. advance() does a piece of the work, and returns false if there was none. Any thread
  /// calls them; they must not call MPI.
  bool (*pending)() noexcept = []() noexcept { return false; };
  bool (*advance)(Member& member) noexcept = [](Member&) noexcept { return false; };
};

inline constinit Hooks hooks;

} // namespace helper::team
