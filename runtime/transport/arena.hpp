// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/node_ranks.hpp"

/// Memory that the processes of a node share: one part for each, which it alone writes and all of the node
/// read.
///
/// The segments are readable by their user only; segment::Kind says what may remain of them.
namespace helper::transport::arena {

/// Makes the node's parts, of `bytes` bytes each, or fewer: together they take no more than half of what
/// segment::room() is. Collective over `node`.
/// Where any of its processes cannot (no room for shared memory, say), none has a part, and messages take its
/// place. Once, when the library first begins.
void make(const NodeRanks& node, std::size_t bytes);

/// Makes this process's part zeros again. When no thread of any process communicates, before all do.
void clear() noexcept;

/// This process's part, or nullptr, and its size. Any thread.
std::byte* own() noexcept;
std::size_t size() noexcept;

/// Whether so many bytes from `offset` on are within a part: of what another process says. Any thread.
bool holds(std::size_t offset, std::size_t bytes) noexcept;

/// The part of a rank of MPI_COMM_WORLD as this process sees it; nullptr if it is on another node or has
/// none.
const std::byte* part(int world_rank) noexcept;

/// How many processes of this node have a part, and which of them this one is, counted from 0.
int parts() noexcept;
int own_index() noexcept;

/// Which of them a rank of MPI_COMM_WORLD is, if it has a part.
int index(int world_rank) noexcept;

} // namespace helper::transport::arena
