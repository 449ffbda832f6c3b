// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/message.hpp"

#include <algorithm>

#include "native/large_counts.hpp"
#include "ranks/communicator.hpp"
#include "ranks/mpi_error.hpp"
#include "ranks/request.hpp"

namespace helper::transport {

namespace {

/// Returns whether abandon() need not wait for this message any longer.
bool given_up(Message& message, const Shadow& shadow) noexcept {
  if (message.request == MPI_REQUEST_NULL) return true;
  int done = 0;
  const bool tested = PMPI_Test(&message.request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS;
  if (done != 0 || message.request == MPI_REQUEST_NULL) return true;
  if (tested && !shadow.failure().gave_up(message.peer)) return false;
  if (message.incoming) {
    PMPI_Cancel(&message.request);
    PMPI_Wait(&message.request, MPI_STATUS_IGNORE); // local, since the message has been cancelled
  }
  if (message.request != MPI_REQUEST_NULL) {
    PMPI_Request_free(&message.request);
    shadow.failure().leave_behind();
  }
  return true;
}

} // namespace

void send(Message& message, const Shadow& shadow, const void* data, MPI_Count count, MPI_Datatype type,
          int peer, int tag) {
  message = {MPI_REQUEST_NULL, peer, false};
  const Shadow::ShadowEnvelope to = shadow.envelope(peer, tag);
  const int code = PMPI_Isend_c(data, count, type, to.peer, to.tag, shadow.comm(), &message.request);
  if (code != MPI_SUCCESS) throw ranks::MpiError(shadow.user(), code);
  shadow.ring(peer);
}

void receive(Message& message, const Shadow& shadow, void* data, MPI_Count count, MPI_Datatype type, int peer,
             int tag) {
  message = {MPI_REQUEST_NULL, peer, true};
  const Shadow::ShadowEnvelope from = shadow.envelope(peer, tag);
  const int code = PMPI_Irecv_c(data, count, type, from.peer, from.tag, shadow.comm(), &message.request);
  if (code != MPI_SUCCESS) throw ranks::MpiError(shadow.user(), code);
}

// Messages are tested one by one: MPI_Testall calls the error handler of MPI_COMM_WORLD, not the shadow's. A
// send has usually completed, but MPI_Test may still poll the network (quirk test_polls_network).
// MPI_Request_get_status does not poll, so it tests sends with MPIs in which both call the same handler.
bool settled(Message& message, const Shadow& shadow) {
  if (message.request == MPI_REQUEST_NULL) return true;
  int done = 0;
  int code = MPI_SUCCESS;
  if (!message.incoming && ranks::reporting() == ranks::Reporting::to_world) {
    code = PMPI_Request_get_status(message.request, &done, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS && done != 0) code = PMPI_Wait(&message.request, MPI_STATUS_IGNORE);
  } else {
    code = PMPI_Test(&message.request, &done, MPI_STATUS_IGNORE);
  }
  if (code != MPI_SUCCESS) throw ranks::MpiError(shadow.user(), code);
  if (done != 0 && message.incoming) shadow.ring(message.peer); // MPI may complete the peer's send only now
  return done != 0;
}

void abandon(std::span<Message> messages, const Shadow& shadow, team::Member& member) noexcept {
  shadow.failure().give_up();
  member.lend_until(
      [&] {
        shadow.failure().sweep();
        return std::ranges::all_of(messages, [&](Message& message) { return given_up(message, shadow); });
      },
      [&] {
        return "waits for messages of an operation that failed on communicator '" +
               ranks::communicator_name(shadow.user()) + "'";
      },
      team::Woken::by_mpi);
}

} // namespace helper::transport
