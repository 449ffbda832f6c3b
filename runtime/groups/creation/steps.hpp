// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/creation/create.hpp"
#include "ranks/communicator.hpp"
#include "team/team.hpp"

/// The steps of create().
namespace helper::groups::creation {

/// Returns, alike at all members, whether all members are in one MPI_COMM_WORLD. Throws MpiError.
bool are_in_one_world(const Members& members);

/// Waits, lending `waiting`, until all members in [begin, end) have come. Returns their greatest `number`.
/// Afterwards members may block briefly in MPI, since none is missing. Throws MpiError.
int meet(const Members& members, int begin, int end, int number, team::Member& waiting);

/// Sends a number to rank `rank` of `members.comm`. Lends `waiting` meanwhile. Throws MpiError.
void tell(const Members& members, int rank, int number, team::Member& waiting);

/// Receives a number that such a process sends to this one. Lends `waiting` meanwhile. Throws MpiError.
int hear(const Members& members, int rank, team::Member& waiting);

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
