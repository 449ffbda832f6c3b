// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "ranks/node_ranks.hpp"

/// Makes segments of memory that the processes of a user share on a node, until the process ends.
namespace helper::shm::segment {

/// How other processes open a segment.
enum class SegmentKind {
  /// Through the descriptor of its owner, which closes it when all processes have mapped the segment. The
  /// file has no name, so nothing remains, even if a process is killed. The system refuses this for processes
  /// that cannot be inspected. In another PID namespace, a process may find another file.
  unnamed,
  /// By a name in /dev/shm, until all have mapped it. If a process is killed before that, the file remains.
  named
};

/// The kinds are tried in this order.
inline constexpr std::array kinds{SegmentKind::unnamed, SegmentKind::named};

/// Returns how many bytes are left on this node, for segments, MPI and the program together.
std::size_t room(SegmentKind kind);

/// Returns whether this process may make a file of `bytes` bytes. Beyond its limit the system would kill it.
bool may_make_file(std::size_t bytes) noexcept;

enum class Access { read, write };

/// Makes a segment of `bytes` zeros, and maps the other processes' segments with `access`. Processes may
/// differ in `bytes`; with 0 a process has no segment. Backs the first `at_once` bytes with memory; provide()
/// gets memory for the rest. Returns the addresses by process; nullptr for a process without a segment. If
/// the system refuses at any process, returns an empty vector at all processes. Collective over `node`.
std::vector<std::byte*> share(const ranks::NodeRanks& node, SegmentKind kind, std::size_t bytes,
                              Access access, std::size_t at_once = std::numeric_limits<std::size_t>::max());

/// Returns whether this system lets processes request pages (Linux since 5.14).
bool can_provide() noexcept;

/// Gets memory for `bytes` bytes of this process's segment from `address`, a page boundary, on. Contents
/// stay. If the system has no memory, returns false: then a write would raise SIGBUS. Any thread may call it.
bool provide(std::byte* address, std::size_t bytes) noexcept;

/// Opens another process's descriptor, whatever file that is by now. Returns -1 if the system refuses.
int open_of(pid_t process, int descriptor, int flags) noexcept;

} // namespace helper::shm::segment
