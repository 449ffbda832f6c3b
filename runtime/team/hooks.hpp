// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <span>

namespace helper::team {

class Member;

/// A function that a thread calls between two polls of a wait in MPI. It returns whether it found work.
using Background = bool (*)(Member&) noexcept;

/// Functions that waiting threads call for higher layers, since this layer does not know MPI. By default they
/// do nothing. A higher layer sets its functions at MPI_Init, before there are members.
struct Hooks {
  /// MPI makes progress only while it is polled. is_needed() returns whether other processes may wait for
  /// this one to poll MPI; poll() polls MPI once. Threads that wait in an MPI call use both.
  bool (*is_needed)() noexcept = []() noexcept { return false; };
  void (*poll)() noexcept = []() noexcept {};

  /// Idle members advance operations that continue without the thread that started them. pending() returns
  /// whether there may be any. If an operation waits for another process, that process rings this one's bell.
  /// advance() does a piece of the work, or returns false. Neither may call MPI.
  bool (*pending)() noexcept = []() noexcept { return false; };
  bool (*advance)(Member& member) noexcept = [](Member&) noexcept { return false; };

  /// Threads that wait in an MPI call run all of these, which may call MPI.
  std::span<const Background> background{};
};

inline constinit Hooks hooks;

} // namespace helper::team
