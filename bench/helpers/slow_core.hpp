// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace bench {

/// While it lives, the calling thread runs as on a core of its own that is `times` times slower than a core
/// of this machine. When the thread has worked on a chunk of its team, or calls pay(), it sleeps for `times -
/// 1` times the processor time that it has used since. So threads / `times` cores suffice to emulate as many
/// slow ones as there are threads. Caches and memory are as fast as ever, and nobody gains by spinning. With
/// `chunks_only` only chunks cost time; polls of MPI by waiting threads, for example, do not.
///
/// A thread that sleeps holds no part of a chunk. If the system stopped threads, by the quota of a control
/// group, they would hold parts, and others would wait for them for milliseconds, unlike on slow cores.
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
