// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "task.hpp"

namespace bench {

/// Messages between the ranks 0 and 1 whose data are not contiguous: one thread packs, another sends, a third
/// unpacks. MPI_Send is one way, MPI_Isend an exchange that MPI_Waitall completes. Other ranks do nothing.
std::vector<PlannedTask> messages(std::size_t bytes);

/// Messages of packing functions that take as long for each byte in every member of a team, by sleep. They
/// show what the protocol loses, without the caches and the other load of this machine.
std::vector<PlannedTask> packing_in_fixed_time(std::size_t bytes);

/// Operations on groups of all ranks: MPIX_Sysgroup_bcast, _reduce and _allreduce, and MPI_Allreduce on a
/// communicator that MPIX_Group_comm_create has made. To be made by all ranks.
std::vector<PlannedTask> group_operations(std::size_t bytes);

} // namespace bench
