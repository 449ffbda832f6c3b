// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// This is the memory of mpi_helper.h that ranks of a node read of one another where it is.

#include "mpi_helper.h"

#include <string>

#include "api/guarded.hpp"
#include "transport/region.hpp"

using namespace helper;

extern "C" {

int MPIX_Helper_alloc(MPI_Aint size, MPI_Info info, MPI_Comm comm, void* baseptr) {
  const std::string function = "MPIX_Helper_alloc";
  return api::guarded(function.c_str(), [&] {
    if (comm == MPI_COMM_NULL)
      return api::report(MPI_COMM_WORLD, MPI_ERR_COMM, function + ": comm is MPI_COMM_NULL");
    if (size < 0)
      return api::report(comm, MPI_ERR_ARG, function + ": size is " + std::to_string(size) + ", negative");
    if (baseptr == nullptr) return api::report(comm, MPI_ERR_ARG, function + ": baseptr is a null pointer");
    std::byte* const memory = size != 0 && transport::can_map()
                                  ? transport::Region::allocate(static_cast<std::size_t>(size))
                                  : nullptr;
    if (memory == nullptr) return PMPI_Alloc_mem(size, info, baseptr);
    *static_cast<void**>(baseptr) = memory;
    return MPI_SUCCESS;
  });
}

int MPIX_Helper_free(void* base) {
  return api::guarded("MPIX_Helper_free",
                      [&] { return transport::Region::release(base) ? MPI_SUCCESS : PMPI_Free_mem(base); });
}

} // extern "C"
