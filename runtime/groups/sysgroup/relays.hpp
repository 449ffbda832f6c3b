// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/sysgroup/channel.hpp"

/// The channels that bring announcements for other processes here, because this process is between them in
/// the tree of a group. A thread that waits in MPI through the library passes the announcements on.
namespace helper::groups::sysgroup::relays {

/// Lets members that wait in MPI pass announcements on. Call it once, in MPI_Init.
void start();

/// Increments or decrements the number of groups of the channel in which this process relays. Any thread may
/// call them.
void add(GroupChannel& channel);
void remove(GroupChannel& channel) noexcept;

} // namespace helper::groups::sysgroup::relays
