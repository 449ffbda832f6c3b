// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Implements the functions of mpi_helper.h that allocate memory for other ranks of the node to read in place.

#include "mpi_helper.h"

#include <string>

#include "api/guarded.hpp"
#include "shm/region.hpp"

using namespace helper;

extern "C" {

int MPIX_Helper_alloc(MPI_Aint size, MPI_Info info, MPI_Comm comm, void* baseptr) {
  return api::guarded("MPIX_Helper_alloc", comm, [&] {
    if (comm == MPI_COMM_NULL) throw api::Rejected(MPI_ERR_COMM, "comm is MPI_COMM_NULL");
    if (size < 0) throw api::Rejected(MPI_ERR_ARG, "size is " + std::to_string(size) + ", negative");
    api::check_pointer(baseptr, "baseptr");
    std::byte* const memory =
        size != 0 ? shm::Region::allocate(static_cast<std::size_t>(size), info) : nullptr;
    if (memory == nullptr) return api::reported(PMPI_Alloc_mem(size, info, baseptr));
    *static_cast<void**>(baseptr) = memory;
  });
}

int MPIX_Helper_free(void* base) {
  return api::guarded("MPIX_Helper_free",
                      [&] { return shm::Region::release(base) ? MPI_SUCCESS : PMPI_Free_mem(base); });
}

} // extern "C"
