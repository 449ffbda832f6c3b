// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "task.hpp"

namespace bench {

/// Non-contiguous messages between ranks 0 and 1: one thread packs, another sends, a third unpacks. One task
/// is MPI_Send in one direction, another an exchange with MPI_Isend and MPI_Waitall. Other ranks do nothing.
std::vector<PlannedTask> messages(std::size_t bytes);

/// Messages with packing functions that sleep for a fixed time per byte, in every member of a team. They show
/// the loss in the protocol, without effects of caches and other load.
std::vector<PlannedTask> packing_in_fixed_time(std::size_t bytes);

/// Operations on groups of all ranks: MPIX_Sysgroup_bcast, _reduce and _allreduce, and MPI_Allreduce on a
/// communicator made by MPIX_Group_comm_create. All ranks must call it.
std::vector<PlannedTask> group_operations(std::size_t bytes);

} // namespace bench
