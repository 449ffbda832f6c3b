// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// These functions allocate, make and free in MPI: memory that the processes of a node read of one another
// where it is, datatypes, and operations.

#include <mpi.h>

#include <cstddef>

#include "layout/layout.hpp"
#include "reduction/user_function.hpp"
#include "transport/region.hpp"

using namespace helper;

namespace {

constexpr MPI_Aint least_worth_sharing = 4096;

/// Has the function of an operation that MPI has made be kept. With MPICH it may be Fortran's, which has C's
/// arguments only where its integers are C's.
template <class Function>
int keep(int code, MPI_Op* op, Function* function) {
  if (code == MPI_SUCCESS && op != nullptr && sizeof(MPI_Fint) == sizeof(int))
    reduction::UserFunction::keep(*op, function);
  return code;
}

} // namespace

extern "C" {

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
  if (size >= least_worth_sharing && baseptr != nullptr && transport::can_map()) {
    if (std::byte* const memory = transport::Region::allocate(static_cast<std::size_t>(size))) {
      *static_cast<void**>(baseptr) = memory;
      return MPI_SUCCESS;
    }
  }
  return PMPI_Alloc_mem(size, info, baseptr);
}

int MPI_Free_mem(void* base) {
  return transport::Region::release(base) ? MPI_SUCCESS : PMPI_Free_mem(base);
}

int MPI_Type_free(MPI_Datatype* datatype) {
  return layout::free_type(datatype);
}

int MPI_Op_create(MPI_User_function* user_fn, int commute, MPI_Op* op) {
  return keep(PMPI_Op_create(user_fn, commute, op), op, user_fn);
}

#if MPI_VERSION >= 4
int MPI_Op_create_c(MPI_User_function_c* user_fn, int commute, MPI_Op* op) {
  return keep(PMPI_Op_create_c(user_fn, commute, op), op, user_fn);
}
#endif

int MPI_Op_free(MPI_Op* op) {
  if (op != nullptr) reduction::UserFunction::forget(*op); // before another thread may get the handle
  return PMPI_Op_free(op);
}

} // extern "C"
