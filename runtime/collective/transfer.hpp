// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>

#include "collective/selection.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// This is what goes to a rank, or comes from one; nothing if the peer is MPI_PROC_NULL.
struct Outgoing {
  const void* data = nullptr;
  int peer = MPI_PROC_NULL;
};
struct Incoming {
  void* data = nullptr;
  int peer = MPI_PROC_NULL;
};

/// Sends and receives at the same time, `bytes` bytes each. Blocks, lending the caller. A stall report calls
/// the operation `operation`. Throws MpiError and PeerGaveUp.
void transfer(const char* operation, team::Member& member, const transport::Shadow& shadow, Outgoing out,
              Incoming in, std::size_t bytes, MessageKind message);

} // namespace helper::collective
