// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <map>
#include <string>

namespace bench {

/// The size of a message is that of a rank's contribution; of all contributions together for allgather; of
/// what goes from one rank to another for gather, scatter and alltoall.
enum class Operation {
  allreduce,
  bcast,
  bcast_vector,
  reduce,
  reduce_scatter,
  allgather,
  gather,
  scatter,
  alltoall
};

/// By their names on the command line and in JSON.
const std::map<std::string, Operation>& operations();
std::string name(Operation operation);

/// What is called, on what: the heading of tables and plots.
std::string title(Operation operation, int stride);

} // namespace bench
