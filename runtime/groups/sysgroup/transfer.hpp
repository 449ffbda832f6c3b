// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdint>

#include "groups/sysgroup/sysgroup.hpp"
#include "ranks/communicator.hpp"
#include "team/team.hpp"

/// Messages by rank. The sender announces its data, along the tree or directly if ranks are processes. The
/// receiver answers the process that the announcement names, which sends the data. So no member stores
/// addresses of others. The functions block, lending `member`, and throw MpiError and PeerGaveUp.
namespace helper::groups::sysgroup {

/// This member's arguments of a transfer, checked.
struct Transfer {
  const char* function;
  ranks::Elements data;
  std::int64_t bytes; ///< size of the data, or of the room for them
  tree::Rank peer;    ///< another member; to receive also MPI_ANY_SOURCE
  int tag;            ///< to receive also MPI_ANY_TAG
};

/// Sends data. Returns when the receiver has received or refused them.
void send(team::Member& member, const Sysgroup& group, const Transfer& transfer);

/// A received message.
struct Received {
  tree::Rank source;
  int tag;
  std::int64_t bytes;
};

/// Receives data. If there is no room for them, tells the sender and throws Rejected.
Received receive(team::Member& member, const Sysgroup& group, const Transfer& transfer);

} // namespace helper::groups::sysgroup
