// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <vector>

namespace helper::advice {

/// Gathers the values of all ranks at rank 0, by rank.
template <class Value>
std::vector<std::vector<Value>> gather(const std::vector<Value>& own, MPI_Comm comm) {
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  int bytes = static_cast<int>(own.size() * sizeof(Value));
  std::vector<int> all_bytes(static_cast<std::size_t>(size));
  PMPI_Gather(&bytes, 1, MPI_INT, all_bytes.data(), 1, MPI_INT, 0, comm);
  if (rank != 0) {
    PMPI_Send(own.data(), bytes, MPI_BYTE, 0, 0, comm);
    return {};
  }
  std::vector<std::vector<Value>> all{own};
  for (int other = 1; other < size; ++other) {
    const int more = all_bytes[static_cast<std::size_t>(other)];
    auto& of_other = all.emplace_back(static_cast<std::size_t>(more) / sizeof(Value));
    PMPI_Recv(of_other.data(), more, MPI_BYTE, other, 0, comm, MPI_STATUS_IGNORE);
  }
  return all;
}

/// Broadcasts the values of rank 0 to all ranks.
template <class Value>
void spread(std::vector<Value>& values, MPI_Comm comm) {
  auto count = static_cast<int>(values.size());
  PMPI_Bcast(&count, 1, MPI_INT, 0, comm);
  values.resize(static_cast<std::size_t>(count));
  PMPI_Bcast(values.data(), count * static_cast<int>(sizeof(Value)), MPI_BYTE, 0, comm);
}

} // namespace helper::advice
