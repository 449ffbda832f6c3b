// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <optional>

#include "message/receive_buffer.hpp"
#include "message/rendezvous_send.hpp"
#include "team/team.hpp"

/// This is what starting a non-blocking operation and starting a persistent one have in common. `request` is
/// MPI_REQUEST_NULL before, or a persistent one, which it remains. All memory is there before anything is
/// done that others learn of.
namespace helper::message {

/// Announces a message, with `start`. Returns nothing, having done nothing, if there is no stream for it.
std::optional<int> start_announced(team::Member& member, Start start,
                                   const RendezvousSend::Candidate& message, int destination, int tag,
                                   MPI_Comm comm, MPI_Request& request);

/// Starts a receive, into `data` if that is to be more than native: of the first message in the unexpected
/// queue that matches, or of what comes. The caller holds unexpected::lock().
int start_to_receive(const std::optional<ReceiveBuffer>& data, void* buffer, MPI_Count count,
                     MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request& request);

} // namespace helper::message
