// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>

#include "ranks/node_ranks.hpp"

/// Copies from and to the private memory of other processes of a node, with process_vm_readv(2) and
/// process_vm_writev(2).
namespace helper::shm::peer_memory {

/// Finds out whether every process of the node may copy from and to every other, by trying. Collective over
/// `node`, called once, at MPI_Init.
void try_copying(const ranks::NodeRanks& node);

/// Returns whether the processes of the node could copy from and to one another at MPI_Init. All get the same
/// answer. The system may refuse later, for example after prctl(PR_SET_DUMPABLE, 0) in either process or
/// under a seccomp filter. Then a copying process continues by other means. Any thread may call it.
bool can_copy() noexcept;

/// Returns whether the system has refused any process of the node a copy since MPI_Init. It never becomes
/// false again. Processes may learn of the refusal at different times. Any thread may call it.
bool is_refused() noexcept;
void note_refusal() noexcept;

/// Records a refusal that this process can detect by itself: other processes may no longer access it, or it
/// may not even copy from itself. Any thread may call it.
void try_own() noexcept;

/// Sets the flag with which the processes of the node record a refusal. The library calls it once, at
/// MPI_Init.
void share_refusal(std::atomic<bool>& of_node) noexcept;

/// Copy `bytes` bytes from or to the memory of a process that has agreed to it. Return false if the system
/// refuses. Any thread may call them.
bool read(pid_t process, const void* from, void* to, std::size_t bytes) noexcept;
bool write(pid_t process, const void* from, void* to, std::size_t bytes) noexcept;

} // namespace helper::shm::peer_memory
