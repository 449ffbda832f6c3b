// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>

#include "model/scheduled.hpp"
#include "ranks/nodes.hpp"
#include "transport/shadow.hpp"

namespace test_support {

/// One rank of many. The other ranks do not exist, and the process has not called MPI_Init. lone_rank.cpp and
/// support/memory_types.cpp imitate the few PMPI_X that collective operations call, in executables with these
/// files. A send completes immediately. A message that the rank waits for has always arrived, but without
/// data. So the library does what it does among that many ranks, unless it depends on the data, and its steps
/// are recorded.
///
/// Only one object may live at a time.
class LoneRank {
public:
  /// Messages are cut into chunks of `chunk` bytes.
  LoneRank(int rank, int size, std::size_t chunk, helper::ranks::Nodes nodes);
  ~LoneRank();
  LoneRank(const LoneRank&) = delete;
  LoneRank& operator=(const LoneRank&) = delete;

  /// Returns the communicator of all ranks.
  MPI_Comm comm() const { return shadow_.user(); }

  /// Returns the sends and receives so far. Each is a step.
  const model::Steps& steps() const;

private:
  helper::transport::Shadow shadow_;
};

} // namespace test_support
