// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace bench {

/// While it lives, the calling thread runs as on a processing unit of its own that is so many times slower
/// than this machine's: when it has worked on a chunk of its team's, or calls pay(), it sleeps for `times -
/// 1` times the processor time that it has used since. So threads / `times` units suffice to emulate as many
/// slow ones as there are threads. Caches and memory are as fast as ever, and nobody gains by spinning. With
/// `chunks_only` all else costs nothing, such as polls of MPI by who waits for a message.
///
/// A thread that sleeps has no part of a chunk in hand, as it would have where the system stopped it, by the
/// quota of a control group: then others wait for it, for milliseconds, which slow cores do not.
class SlowCore {
public:
  explicit SlowCore(int times, bool chunks_only);
  ~SlowCore();
  SlowCore(const SlowCore&) = delete;
  SlowCore& operator=(const SlowCore&) = delete;

  /// Sleeps for what the calling thread has used, if it is on a slow core.
  static void pay() noexcept;

  /// Whether chunks are noticed: not in a build that compiles runtime/team as one file.
  static bool works();
};

} // namespace bench
