// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>

#include "message/rendezvous.hpp"

namespace helper::message {

/// A message that a probe has taken out of MPI. One that may be an RTS is then received, and sent to oneself,
/// privately, so that it can be matched and received once more. What of this MPI fails to do is done when the
/// message is next looked for.
struct UnexpectedMessage {
  MPI_Comm comm = MPI_COMM_NULL; ///< the user's, unless that has been freed
  MPI_Message message = MPI_MESSAGE_NULL;
  bool is_matched = false; ///< by a probe of the user's
  MPI_Status status{};     ///< tells where it comes from, and its true size
  std::array<std::byte, Rts::end_bytes> payload{};
  std::size_t payload_bytes = 0; ///< of what has been received
  std::optional<Rts> rts;        ///< what has been received is this
  std::optional<int> resent_as;  ///< the tag of what has been sent to oneself

  bool is_taken() const noexcept { return payload_bytes != 0; }
};

/// The library's part of the unexpected queue, in front of MPI's own: of each sender the first messages that
/// are not received yet, in order, so that receives and probes that look here first find what MPI would have
/// matched. Only threads in MPI call these functions.
namespace unexpected {

using Queue = std::list<UnexpectedMessage>;

/// Whether the queue has a message. This is false permanently unless the calling thread, or one that it has
/// synchronised with, has put one there.
bool any() noexcept;

/// Keeps other threads from taking messages out of MPI, from before first() until the native receive is
/// posted: otherwise that might wait for a message that has come into the queue since. Locks nothing where
/// only one thread at a time may be in MPI.
std::unique_lock<std::mutex> lock();

/// The first message that matches and no probe has, to receive by its handle, under lock(). Throws MpiError.
std::optional<Queue::iterator> first(int source, int tag, MPI_Comm comm);

/// The message that improbe() has returned as `message`, if it is still in the queue. Is called under lock().
std::optional<Queue::iterator> matched(MPI_Message message) noexcept;

/// Removes a message that is being received. The caller holds lock().
void forget(Queue::iterator message) noexcept;

/// Do what MPI_Iprobe and MPI_Improbe do. What was resent stays in the queue until it is received.
int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status);

} // namespace unexpected

} // namespace helper::message
