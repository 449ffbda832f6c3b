// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <sys/types.h>

#include <cstddef>

#include "transport/node_ranks.hpp"

/// The system copies from and to the private memory of the other processes of a node, by process_vm_readv(2)
/// and process_vm_writev(2).
namespace helper::transport::peer_memory {

/// Finds out whether every process of the node may copy from and to every other, by doing it. It is
/// collective over `node`, and called once, at MPI_Init.
void try_copying(const NodeRanks& node);

/// Tells whether the processes of the node may copy from and to one another; the answer is the same at all of
/// them. Any thread may call it.
bool can_copy() noexcept;

/// These copy `bytes` bytes from or to the memory of a process that has agreed to it; they return false if
/// the system refuses. Any thread may call them.
bool read(pid_t process, const void* from, void* to, std::size_t bytes) noexcept;
bool write(pid_t process, const void* from, void* to, std::size_t bytes) noexcept;

} // namespace helper::transport::peer_memory
