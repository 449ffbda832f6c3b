// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <span>

#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::transport {

/// A message in flight on a shadow communicator. Only the thread that started it uses it.
struct Message {
  MPI_Request request = MPI_REQUEST_NULL;
  int peer = MPI_PROC_NULL;
  bool incoming = false;
};

/// send() starts to send elements to rank `peer` of the shadow, receive() to receive them. Throw MpiError.
void send(Message& message, const Shadow& shadow, const void* data, MPI_Count count, MPI_Datatype type,
          int peer, int tag);
void receive(Message& message, const Shadow& shadow, void* data, MPI_Count count, MPI_Datatype type, int peer,
             int tag);

/// Returns whether the message has completed. Never blocks. Throws MpiError.
bool settled(Message& message, const Shadow& shadow);

/// Calls `poll()`, which polls MPI, until it returns true, but only a few times. Returns the last result. A
/// message arrives in several steps, and these polls take no longer than a look for other work.
template <class Poll>
bool poll_in_a_row(const Poll& poll) {
  constexpr int polls_in_a_row = 8;
  for (int polls = 0; polls < polls_in_a_row; ++polls) {
    if (poll()) return true;
  }
  return false;
}

/// After an error: gives up the shadow, and returns when each message has completed or its peer has given up.
/// Lends `member` meanwhile. Cancels receives. MPI keeps using the memory of sends that nobody will receive;
/// Failure::left_behind() then returns true, and this memory must never be freed.
void abandon(std::span<Message> messages, const Shadow& shadow, team::Member& member) noexcept;

} // namespace helper::transport
