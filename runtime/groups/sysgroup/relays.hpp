// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/sysgroup/channel.hpp"

/// The channels on which announcements for other processes arrive here, because this process lies between
/// others in the tree of a group. A thread that waits in MPI through the library passes the announcements on.
namespace helper::groups::sysgroup::relays {

/// Lets members that wait in MPI pass announcements on. Call it once, in MPI_Init.
void start();

/// Counts a group of the channel in which this process lies between others, or counts it no longer. Any
/// thread may call them.
void add(GroupChannel& channel);
void remove(GroupChannel& channel) noexcept;

} // namespace helper::groups::sysgroup::relays
