// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <sys/types.h>

#include <cstddef>

#include "transport/node_ranks.hpp"

/// The private memory of the other processes of a node, which the system copies from and to:
/// process_vm_readv(2) and process_vm_writev(2).
namespace helper::transport::peer_memory {

/// Finds out whether every process of the node may copy from and to every other, by doing it. Collective over
/// `node`. Once, at MPI_Init.
void try_copying(const NodeRanks& node);

/// Whether they may; the same at all processes of the node. Any thread.
bool can_copy() noexcept;

/// Copies `bytes` bytes from or to the memory of a process that has agreed to it; false if the system
/// refuses. Any thread.
bool read(pid_t process, const void* from, void* to, std::size_t bytes) noexcept;
bool write(pid_t process, const void* from, void* to, std::size_t bytes) noexcept;

} // namespace helper::transport::peer_memory
