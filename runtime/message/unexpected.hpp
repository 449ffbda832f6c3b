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

/// A message that a probe has taken out of MPI. If it may be an RTS, the thread receives it, then sends it to
/// this process itself on a private communicator, so that it can be matched and received again. If MPI fails
/// in one of these steps, the thread that next looks for the message repeats the step.
struct UnexpectedMessage {
  MPI_Comm comm = MPI_COMM_NULL; ///< the user's communicator, unless it has been freed
  MPI_Message message = MPI_MESSAGE_NULL;
  bool is_matched = false; ///< by a probe of the user
  MPI_Status status{};     ///< contains the source and the true size
  std::array<std::byte, Rts::end_bytes> payload{};
  std::size_t payload_bytes = 0; ///< bytes that have been received
  std::optional<Rts> rts;        ///< the RTS that has been received
  std::optional<int> resent_as;  ///< the tag of the message that was sent to this process

  bool is_taken() const noexcept { return payload_bytes != 0; }
};

/// The library's part of the unexpected queue; MPI has the rest. The library has the oldest messages of a
/// sender that have not been received, in order. So receives and probes that look here first find what MPI
/// would have matched. Only threads in MPI call these functions.
namespace unexpected {

using Queue = std::list<UnexpectedMessage>;

/// Returns whether the queue has a message. It may miss messages of a thread with which the calling thread
/// has not synchronised.
bool any() noexcept;

/// A receive holds this from before first() until the native receive is posted, so that no other thread takes
/// a message out of MPI meanwhile. Otherwise the native receive might wait for a message that is in the
/// queue. Locks nothing if only one thread at a time may be in MPI.
std::unique_lock<std::mutex> lock();

/// Returns the first match that no probe holds. Hold lock(), and receive the match. Throws MpiError.
std::optional<Queue::iterator> first(int source, int tag, MPI_Comm comm);

/// Returns the message that improbe() has returned as `message`, if the queue has it. Call this under lock().
std::optional<Queue::iterator> matched(MPI_Message message) noexcept;

/// Removes a message that is being received. The caller holds lock().
void forget(Queue::iterator message) noexcept;

/// These do what MPI_Iprobe and MPI_Improbe do. A resent message stays in the queue until it is received.
int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status);

} // namespace unexpected

} // namespace helper::message
