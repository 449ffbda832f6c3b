// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <optional>

#include "message/message.hpp"
#include "team/team.hpp"

/// Persistent sends and receives are made natively, in a phase or not. What is needed to start them otherwise
/// is kept here.
namespace helper::message::persistent {

/// Keeps what `request` is to do: a send of the mode that `start` starts, or a receive.
void keep_send(MPI_Request request, Start start, const void* buffer, MPI_Count count, MPI_Datatype type,
               int destination, int tag, MPI_Comm comm);
void keep_receive(MPI_Request request, void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag,
                  MPI_Comm comm);

/// Forgets a request that is about to be freed.
void forget(MPI_Request request);

/// Forgets one that the user frees, for which MPI may still receive.
void release(MPI_Request request);

/// Whether there is no persistent receive, and whether all are inactive or over, which MPI is asked.
bool no_receives();
bool receives_over();

/// Does what MPI_Start does, for team::alone() outside of phases. Returns nothing if MPI is to do that.
std::optional<int> start(team::Member& member, MPI_Request* request);

/// Does what MPI_Startall does, the same way.
std::optional<int> startall(team::Member& member, int count, MPI_Request* requests);

} // namespace helper::message::persistent
