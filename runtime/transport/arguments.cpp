// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/arguments.hpp"

#include "layout/decode.hpp"
#include "native/large_counts.hpp"
#include "transport/communicator.hpp"

namespace helper::transport {

namespace {

/// Has MPI judge the data. A predefined type that it accepts is kept in `valid`.
[[gnu::noinline]] bool accepted(const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Datatype& valid) {
  const MPI_Comm comm = own();
  if (comm == MPI_COMM_NULL || PMPI_Send_c(buffer, count, type, MPI_PROC_NULL, 0, comm) != MPI_SUCCESS)
    return false;
  if (layout::predefined(type)) valid = type;
  return true;
}

} // namespace

bool valid_data(const void* buffer, MPI_Count count, MPI_Datatype type) {
  // A predefined type remains valid, so that the next small message of the same need not ask MPI.
  static thread_local MPI_Datatype valid_before = MPI_DATATYPE_NULL;
  if (type == valid_before && type != MPI_DATATYPE_NULL && buffer != nullptr && count >= 0) return true;
  return accepted(buffer, count, type, valid_before);
}

bool valid_operation(MPI_Op op, MPI_Datatype type) {
  const MPI_Comm comm = own();
  int nothing = 0;
  return comm != MPI_COMM_NULL && PMPI_Allreduce(MPI_IN_PLACE, &nothing, 0, type, op, comm) == MPI_SUCCESS;
}

bool valid_root(int root, MPI_Comm comm) {
  return root >= 0 && root < size_of(comm);
}

} // namespace helper::transport
