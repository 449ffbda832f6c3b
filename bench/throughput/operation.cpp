// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "operation.hpp"

#include <fmt/format.h>

namespace bench {

const std::map<std::string, Operation>& operations() {
  static const std::map<std::string, Operation> by_name{
      {"allreduce", Operation::allreduce}, {"allreduce-ints", Operation::allreduce_ints},
      {"bcast", Operation::bcast},         {"bcast-vector", Operation::bcast_vector},
      {"reduce", Operation::reduce},       {"reduce-scatter", Operation::reduce_scatter},
      {"scan", Operation::scan},           {"exscan", Operation::exscan},
      {"allgather", Operation::allgather}, {"allgatherv", Operation::allgatherv},
      {"gather", Operation::gather},       {"scatter", Operation::scatter},
      {"alltoall", Operation::alltoall},   {"alltoallv", Operation::alltoallv},
      {"barrier", Operation::barrier}};
  return by_name;
}

std::string name(Operation operation) {
  for (const auto& [name, value] : operations())
    if (value == operation) return name;
  return {};
}

std::string title(Operation operation, int stride) {
  switch (operation) {
  case Operation::allreduce:
    return "MPI_Allreduce, contiguous doubles";
  case Operation::allreduce_ints:
    return "MPI_Allreduce, contiguous ints";
  case Operation::bcast:
    return "MPI_Bcast, contiguous doubles";
  case Operation::bcast_vector:
    return fmt::format("MPI_Bcast, vector of single doubles, stride {}", stride);
  case Operation::reduce:
    return "MPI_Reduce, contiguous doubles";
  case Operation::reduce_scatter:
    return "MPI_Reduce_scatter_block, contiguous doubles";
  case Operation::scan:
    return "MPI_Scan, contiguous doubles";
  case Operation::exscan:
    return "MPI_Exscan, contiguous doubles";
  case Operation::allgather:
    return "MPI_Allgather, contiguous doubles";
  case Operation::allgatherv:
    return "MPI_Allgatherv, contiguous doubles";
  case Operation::gather:
    return "MPI_Gather, contiguous doubles";
  case Operation::scatter:
    return "MPI_Scatter, contiguous doubles";
  case Operation::alltoall:
    return "MPI_Alltoall, contiguous doubles";
  case Operation::alltoallv:
    return "MPI_Alltoallv, contiguous doubles";
  case Operation::barrier:
    return "MPI_Barrier";
  }
  return {};
}

} // namespace bench
