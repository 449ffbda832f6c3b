// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "ranks/node_ranks.hpp"
#include "ranks/shm_name.hpp"

/// Makes segments of shared memory for the processes of one user on one node. They remain mapped until the
/// process ends.
namespace helper::shm::segment {

/// How other processes find a segment.
enum class SegmentKind {
  /// They come by its owner's process and descriptor, until all have mapped it: it is a file without a name,
  /// of which nothing remains, whenever a process is killed. The system refuses that for processes which must
  /// not be looked into, and it does not work where a process's number is another's in a namespace of its
  /// own.
  unnamed,
  /// By a name in /dev/shm, until all have mapped it. A process that is killed before leaves the file there.
  named
};

/// The kinds are tried in this order.
inline constexpr std::array kinds{SegmentKind::unnamed, SegmentKind::named};

/// Returns how many bytes are left for the segments of all processes on this node, those of MPI and of the
/// program among them.
std::size_t room(SegmentKind kind);

/// Returns whether this process may make a file of `bytes` bytes. Where its limit does not let it, it would
/// be ended.
bool may_make_file(std::size_t bytes) noexcept;

enum class Access { read, write };

/// Makes a segment of `bytes` zeros, if that is not 0, and maps those of the others, to read or also to
/// write. `bytes` may differ. The first `at_once` bytes are there; provide() gets the others. Returns where
/// they are, by process, nullptr for one of no bytes; it returns nothing, at all processes alike, if the
/// system does not let any of them. It is collective over `node`.
std::vector<std::byte*> share(const ranks::NodeRanks& node, SegmentKind kind, std::size_t bytes,
                              Access access, std::size_t at_once = std::numeric_limits<std::size_t>::max());

/// Returns whether this system lets processes ask for pages (Linux since 5.14).
bool can_provide() noexcept;

/// Gets the pages of an own segment, from the begin of one on, and leaves what is in them. Returns false if
/// the system has none, where a write would raise SIGBUS. Any thread may call it.
bool provide(std::byte* address, std::size_t bytes) noexcept;

/// Opens what is another process's descriptor, whatever it may be by now; returns -1 if the system does not
/// let us.
int open_of(pid_t process, int descriptor, int flags) noexcept;

} // namespace helper::shm::segment
