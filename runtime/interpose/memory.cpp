// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Functions that allocate and free in MPI: datatypes, and memory that the processes of a node read in place.

#include <mpi.h>

#include <cstddef>

#include "layout/layout.hpp"
#include "shm/region.hpp"

using namespace helper;

namespace {

constexpr MPI_Aint least_worth_sharing = 4096;

} // namespace

extern "C" {

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
  if (size >= least_worth_sharing && baseptr != nullptr) {
    if (std::byte* const memory = shm::Region::allocate(static_cast<std::size_t>(size), info)) {
      *static_cast<void**>(baseptr) = memory;
      return MPI_SUCCESS;
    }
  }
  return PMPI_Alloc_mem(size, info, baseptr);
}

int MPI_Free_mem(void* base) {
  return shm::Region::release(base) ? MPI_SUCCESS : PMPI_Free_mem(base);
}

int MPI_Type_commit(MPI_Datatype* datatype) {
  if (datatype != nullptr && layout::has_functions(*datatype)) return MPI_SUCCESS; // see Layout::make_type()
  return PMPI_Type_commit(datatype);
}

int MPI_Type_free(MPI_Datatype* datatype) {
  return layout::free_type(datatype);
}

} // extern "C"
