// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>

#include "message/announcement.hpp"

namespace helper::message {

/// A message that a probe has taken from MPI. One that may be an announcement is then received, and sent to
/// oneself, privately, so that it can be received, and matched, once more. What of this MPI fails to do is
/// done when the message is next looked for.
struct Held {
  MPI_Comm comm = MPI_COMM_NULL; ///< the user's, unless that has been freed
  MPI_Message message = MPI_MESSAGE_NULL;
  bool is_matched = false; ///< by a probe of the user's
  MPI_Status status{};     ///< where it comes from, and its true size
  std::array<std::byte, Announcement::end_bytes> payload{};
  std::size_t payload_bytes = 0; ///< of what has been received
  std::optional<int> resent_as;  ///< the tag of what has been sent to oneself

  bool is_taken() const noexcept { return payload_bytes != 0; }
};

/// The messages that are held: of each sender the first ones that are not received yet, in order, so that
/// receives and probes that look here first find what MPI would have matched. For threads in MPI.
namespace held {

/// Whether there are any: false for good unless this thread, or one it has synchronised with, holds one.
bool any() noexcept;

/// While this is locked, no other thread takes a message from MPI: from before first() until the native
/// receive is posted, which otherwise might wait for a message that is held since. Not locked, and not
/// needed, where only one thread at a time may be in MPI.
std::unique_lock<std::mutex> steady();

/// Where a message is held.
using Place = std::list<Held>::iterator;

/// The first message that matches and that no probe has, to be received by its handle. With steady() held.
/// Throws MpiError.
std::optional<Place> first(int source, int tag, MPI_Comm comm);

/// The message that improbe() has returned as `message`; none if that is not held. With steady() held.
std::optional<Place> matched(MPI_Message message) noexcept;

/// Forgets a message that is being received. With steady() held.
void forget(Place held) noexcept;

/// As MPI_Iprobe and MPI_Improbe. What was resent is held until it is received.
int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status);

} // namespace held

} // namespace helper::message
