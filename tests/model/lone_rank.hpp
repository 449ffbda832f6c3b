// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>

#include "model/scheduled.hpp"
#include "ranks/nodes.hpp"
#include "transport/shadow.hpp"

namespace test_support {

/// A rank of many whose other ranks do not exist, with an imitated MPI, in a process that has not called
/// MPI_Init. lone_rank.cpp and support/memory_types.cpp define the few PMPI_X that collective operations
/// call; executables with these files call them instead of MPICH's. A send completes at once, and a message
/// that the rank waits for has arrived, but without its data. So the library does what it does among that
/// many ranks, if that does not depend on the data, and its steps can be recorded.
///
/// One object lives at a time.
class LoneRank {
public:
  /// Messages are cut into chunks of `chunk` bytes.
  LoneRank(int rank, int size, std::size_t chunk, helper::ranks::Nodes nodes);
  ~LoneRank();
  LoneRank(const LoneRank&) = delete;
  LoneRank& operator=(const LoneRank&) = delete;

  /// Returns the communicator of all ranks.
  MPI_Comm comm() const { return shadow_.user(); }

  /// Returns the sends and receives so far, one message in each step.
  const model::Steps& steps() const;

private:
  helper::transport::Shadow shadow_;
};

} // namespace test_support
