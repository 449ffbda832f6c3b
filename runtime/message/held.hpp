// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <list>
#include <mutex>

#include "message/announcement.hpp"

namespace helper::message {

/// A message that a probe has taken from MPI, to see whether it is an announcement. Such a message is then
/// sent to oneself, privately, so that it can be received, and matched, once more.
struct Held {
  using Payload = std::array<std::byte, Announcement::end_bytes>;

  Held() = default;
  ~Held();
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  MPI_Comm comm = MPI_COMM_NULL; ///< the user's, unless that has been freed
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status{};    ///< where it comes from, and its true size
  bool is_resent = false; ///< to oneself
  Payload payload;        ///< what is resent; MPI may read it until it is received
  /// What resends it; over when it is received. Until then MPICH 4.0.2 uses such a request after it is freed.
  MPI_Request resending = MPI_REQUEST_NULL;

  /// Corrects the status of its receipt.
  void name_in(MPI_Status& received) const noexcept {
    received.MPI_SOURCE = status.MPI_SOURCE;
    received.MPI_TAG = status.MPI_TAG;
  }
};

/// The messages that are held: of each sender the first ones that are not received yet, in order, so that
/// receives and probes that look here first find what MPI would have matched. For threads in MPI.
namespace held {

/// One or none of them, which stays where it is in memory whoever has it.
using Single = std::list<Held>;

/// Whether there are any: false for good unless this thread, or one it has synchronised with, holds one.
bool any() noexcept;

/// While this is locked, no other thread takes a message from MPI: from before take() until the native
/// receive is posted, which otherwise might wait for a message that is held since. Not locked, and not
/// needed, where only one thread at a time may be in MPI.
std::unique_lock<std::mutex> steady();

/// Takes the first message that matches; none if none does. With steady() held.
Single take(int source, int tag, MPI_Comm comm) noexcept;

/// As MPI_Iprobe and MPI_Improbe. A message that take() is to be used for again is remembered by its handle.
int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status);

/// The communicator of the message that improbe() returned as `message`, if it was resent; MPI_COMM_NULL of
/// any other.
MPI_Comm comm_of_matched(MPI_Message message) noexcept;

/// The message that improbe() returned as `message`, if it was resent.
Single take_matched(MPI_Message message) noexcept;

} // namespace held

} // namespace helper::message
