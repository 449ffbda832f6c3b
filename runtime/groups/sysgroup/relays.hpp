// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/sysgroup/channel.hpp"

/// This namespace knows the channels on which announcements for other processes come here, as long as there
/// are groups in which this one lies between others. A thread that waits for anything in MPI of which the
/// library knows passes them on.
namespace helper::groups::sysgroup::relays {

/// Has the members that wait in MPI do so. To be called once, in MPI_Init.
void start();

/// Counts a group of the channel in which this process lies between others, or counts it no longer. Any
/// thread may call them.
void add(GroupChannel& channel);
void remove(GroupChannel& channel) noexcept;

} // namespace helper::groups::sysgroup::relays
