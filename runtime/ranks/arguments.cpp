// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "ranks/arguments.hpp"

#include <algorithm>
#include <array>

#include "layout/decode.hpp"
#include "native/large_counts.hpp"
#include "ranks/communicator.hpp"

namespace helper::ranks {

namespace {

/// Lets MPI check the data. Stores an accepted predefined type in `known`.
[[gnu::noinline]] bool accepted(const void* buffer, MPI_Count count, MPI_Datatype type,
                                detail::KnownType& known) {
  const MPI_Comm comm = own();
  if (comm == MPI_COMM_NULL || PMPI_Send_c(buffer, count, type, MPI_PROC_NULL, 0, comm) != MPI_SUCCESS)
    return false;
  if (count != 0 && layout::predefined(type)) { // MPI accepts any type for zero elements
    static const std::array pairs{MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT,
                                  MPI_SHORT_INT, MPI_2INT,       MPI_LONG_DOUBLE_INT};
    PMPI_Type_size_x(type, &known.size);
    known.is_simple = std::ranges::count(pairs, type) == 0;
    known.type = type;
  }
  return true;
}

} // namespace

bool valid_data(const void* buffer, MPI_Count count, MPI_Datatype type) {
  return detail::known_type.is_of(buffer, count, type) || accepted(buffer, count, type, detail::known_type);
}

bool valid_operation(MPI_Op op, MPI_Datatype type) {
  const MPI_Comm comm = own();
  int nothing = 0;
  return comm != MPI_COMM_NULL && PMPI_Allreduce(MPI_IN_PLACE, &nothing, 0, type, op, comm) == MPI_SUCCESS;
}

bool valid_root(int root, MPI_Comm comm) {
  return root >= 0 && root < size_of(comm);
}

} // namespace helper::ranks
