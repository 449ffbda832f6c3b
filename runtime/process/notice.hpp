// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <string>

/// A setting or a hint may be accepted and yet not followed. The first process of a node that notices this
/// prints one line with the reason.
namespace helper::process {

/// The kinds of notices. Each has a bit, because it is printed once per node.
enum class Notice : std::uint64_t {
  stall = 1 << 0,
  placement_of_bound_thread = 1 << 1, ///< the program has bound the thread itself
  placement_unused = 1 << 2,          ///< the library has no thread to bind
  placement_refused = 1 << 3,         ///< the system refuses to bind the thread
  placement_imagined = 1 << 4,        ///< hwloc describes another machine
  differs_from_rank_0 = 1 << 5,       ///< whose settings hold
  transparent_mode_off = 1 << 6,      ///< some process has not asked for it
  small_arena = 1 << 7,
  small_chunk = 1 << 8,
  unused_spans = 1 << 9,
  unused_rows = 1 << 10, ///< of the file that MPI_HELPER_TUNE names
  few_threads = 1 << 11, ///< the system starts no more threads
  unread_keys = 1 << 12, ///< of an info object, which the function does not read
  unused_key = 1 << 13,  ///< of an info object, which has no effect next to another key
};

/// Prints the text like print(), unless a process of the node has printed a notice of this kind. Any thread
/// may call it.
void print_once_on_node(Notice notice, const std::string& text);

} // namespace helper::process
