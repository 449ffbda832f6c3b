// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <map>
#include <string>

namespace bench {

/// The size of a message is that of a rank's contribution; of all contributions together for allgather(v); of
/// what goes from one rank to another for gather, scatter and alltoall(v), where that is as much everywhere.
/// A barrier has none.
enum class Operation {
  allreduce,
  allreduce_ints,
  bcast,
  bcast_vector,
  reduce,
  reduce_scatter,
  scan,
  exscan,
  allgather,
  allgatherv,
  gather,
  scatter,
  alltoall,
  alltoallv,
  barrier
};

/// By their names on the command line and in JSON.
const std::map<std::string, Operation>& operations();
std::string name(Operation operation);

/// What is called, on what: the heading of tables and plots.
std::string title(Operation operation, int stride);

} // namespace bench
