// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "group/communicator.hpp"
#include "group/create.hpp"

namespace helper::group {

/// As create(), by inter-communicators; it does not wait for those who come late but in MPI.
///
/// Source: Dinan et al., "Noncollective Communicator Creation in MPI", EuroMPI 2011, Algorithm 1. There the
/// leaders of two parts exchange messages over `members.comm`. MPICH ignores the tag in a part of these, so
/// that two creations at once by the same two processes take each other's. Here each two leaders have a
/// communicator of their own for it. Creations of more processes fail at once even so; so a process takes
/// part in one at a time.
Communicator create_recursively(const Members& members);

} // namespace helper::group
