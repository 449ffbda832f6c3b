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
  /// Through its owner's process and descriptor, until all have mapped it. The file has no name, so nothing
  /// remains, even if a process is killed. The system refuses this for processes that cannot be inspected. It
  /// does not work across PID namespaces, where the file found may be another one.
  unnamed,
  /// By a name in /dev/shm, until all have mapped it. If a process is killed before that, the file remains.
  named
};

/// The kinds are tried in this order.
inline constexpr std::array kinds{SegmentKind::unnamed, SegmentKind::named};

/// Returns how many bytes are left for segments on this node, including those of MPI and the program.
std::size_t room(SegmentKind kind);

/// Returns whether this process may make a file of `bytes` bytes. Beyond its limit it would be killed.
bool may_make_file(std::size_t bytes) noexcept;

enum class Access { read, write };

/// Makes a segment of `bytes` zeros, unless `bytes`, which may differ, is 0, and maps those of the others.
/// The first `at_once` bytes are backed by memory; provide() gets the rest. Returns the addresses by process;
/// nullptr for a segment of no bytes. Returns nothing, alike at all, if the system refuses at any. Collective
/// over `node`.
std::vector<std::byte*> share(const ranks::NodeRanks& node, SegmentKind kind, std::size_t bytes,
                              Access access, std::size_t at_once = std::numeric_limits<std::size_t>::max());

/// Returns whether this system lets processes request pages (Linux since 5.14).
bool can_provide() noexcept;

/// Gets the pages of an own segment, starting at a page boundary, and keeps their contents. Returns false if
/// the system has none; then a write would raise SIGBUS. Any thread may call it.
bool provide(std::byte* address, std::size_t bytes) noexcept;

/// Opens another process's descriptor, whatever it refers to by now. Returns -1 if the system refuses.
int open_of(pid_t process, int descriptor, int flags) noexcept;

} // namespace helper::shm::segment
