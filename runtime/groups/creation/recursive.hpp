// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/creation/create.hpp"
#include "ranks/communicator.hpp"

namespace helper::groups::creation {

/// Does what create() does by inter-communicators, when all members have met, and in turn with other threads.
/// What fails at some members fails at all.
///
/// Source: Dinan et al., "Noncollective Communicator Creation in MPI", EuroMPI 2011, Algorithm 1. There the
/// leaders of two parts exchange messages over `members.comm`. Where MPI ignores the tag in a part of these,
/// two creations at once by the same two processes take each other's. Here each two leaders have a
/// communicator of their own for it. Even so two merges at once may take each other's messages at a process
/// that is in both, so creations take turns (quirk merges_cross).
ranks::Communicator create_recursively(const Members& members, team::Member& waiting);

} // namespace helper::groups::creation
