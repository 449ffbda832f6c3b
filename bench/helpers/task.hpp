// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/bench.hpp"
#include "common/ranks.hpp"

namespace bench {

using Bytes = std::vector<std::byte>;

/// Writes bytes that differ by position and seed.
void fill_bytes(Bytes& bytes, int seed);

/// An MPI call of one thread, in which its team may help, and its buffers.
struct Call {
  std::size_t bytes; ///< of data
  std::function<void(bool native)> run;
  std::function<void()> reset; ///< called before a call whose result is checked
  std::shared_ptr<Bytes> result;
  std::size_t element = 1, significant = 1; ///< bytes of a result element; the compared ones

  /// Returns whether the result equals native MPI's. It is as collective as the function.
  bool is_right() const;
};

struct Task {
  std::string function;       ///< of MPI
  std::string data;           ///< what kind of
  std::size_t bytes;          ///< of data, asked for
  std::function<Call()> make; ///< allocates the buffers
};

/// All tasks of about `bytes` bytes. Faces of cubes above 4 MiB are left out: they need gigabytes of memory.
/// `collective`: ranks communicate; otherwise each works alone.
std::vector<Task> tasks(std::size_t bytes, bool collective);

/// MPI_Allreduce of doubles, the task that is compared over all sizes.
Task allreduce_of_doubles(std::size_t bytes);

std::vector<Task> allreduce_of_ints(std::size_t bytes);

/// Non-contiguous messages between ranks 0 and 1: one thread packs, another sends, a third unpacks. One task
/// is MPI_Send in one direction, another an exchange with MPI_Isend and MPI_Waitall. Other ranks do nothing.
std::vector<Task> messages(std::size_t bytes);

/// Messages with packing functions that sleep for a fixed time per byte, in every member of a team. They show
/// the loss in the protocol, without effects of caches and other load.
std::vector<Task> packing_in_fixed_time(std::size_t bytes);

/// Operations on groups of all ranks: MPIX_Sysgroup_bcast, _reduce and _allreduce, and MPI_Allreduce on a
/// communicator made by MPIX_Group_comm_create. All ranks must call it.
std::vector<Task> group_operations(std::size_t bytes);

} // namespace bench
