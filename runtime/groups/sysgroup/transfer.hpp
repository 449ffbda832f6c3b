// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdint>

#include "groups/sysgroup/sysgroup.hpp"
#include "ranks/communicator.hpp"
#include "team/team.hpp"

/// Messages by rank. The sender announces its data. The announcement travels along the tree, or directly if
/// ranks are processes. The receiver answers the process that the announcement names, once it has been called
/// to receive. Then the data go directly by an MPI message. So no member keeps addresses of others, or data
/// of others. The functions block, lending `member`, and throw MpiError and PeerGaveUp.
namespace helper::groups::sysgroup {

/// A transfer has the arguments that this member has given, which have been checked.
struct Transfer {
  const char* function;
  ranks::Elements data;
  std::int64_t bytes; ///< of the data, or room for so many
  tree::Rank peer;    ///< another member; to receive also MPI_ANY_SOURCE
  int tag;            ///< to receive also MPI_ANY_TAG
};

/// Sends data, and returns once they have been received, or the receiver has refused them.
void send(team::Member& member, const Sysgroup& group, const Transfer& transfer);

/// A received message.
struct Received {
  tree::Rank source;
  int tag;
  std::int64_t bytes;
};

/// Receives data. Throws Rejected, the sender being told, if there is no room for them.
Received receive(team::Member& member, const Sysgroup& group, const Transfer& transfer);

} // namespace helper::groups::sysgroup
