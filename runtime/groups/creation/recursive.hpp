// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/creation/create.hpp"
#include "ranks/communicator.hpp"

namespace helper::groups::creation {

/// Does what create() does, with inter-communicators. All members have met before. Threads of a process take
/// turns. A failure at some members is a failure at all.
///
/// Source: Dinan et al., "Noncollective Communicator Creation in MPI", EuroMPI 2011, Algorithm 1. There the
/// leaders of two parts exchange messages over `members.comm`. If MPI ignores the tag of some of them, two
/// simultaneous creations by the same processes receive each other's messages. Here each pair of leaders has
/// its own communicator. Two simultaneous merges may still confuse messages at a process that is in both, so
/// creations take turns (quirk merges_cross).
ranks::Communicator create_recursively(const Members& members, team::Member& waiting);

} // namespace helper::groups::creation
