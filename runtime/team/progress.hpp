// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace helper::team {

/// Says what else needs this process to go on polling while its threads wait for something of their own: MPI,
/// of which this layer knows nothing, and which gets on only while it is polled. If nothing was set, waits
/// consider only what they wait for.
class Progress {
public:
  using Needed = bool (*)() noexcept;
  using Poll = void (*)() noexcept;

  /// Sets the two functions: `needed` says whether others may be waiting for this process to poll, `poll`
  /// polls once. Both are called by threads that wait in an MPI call. It is called once, at MPI_Init, before
  /// there are members.
  static void set(Needed needed, Poll poll) noexcept {
    needed_ = needed;
    poll_ = poll;
  }

  static bool needed() noexcept { return needed_(); }
  static void poll() noexcept { poll_(); }

private:
  // The pointers are written by set() and read by members.
  static inline constinit Needed needed_ = []() noexcept { return false; };
  static inline constinit Poll poll_ = []() noexcept {};
};

} // namespace helper::team
