// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Keeps the functions of user-defined operations. MPI_HELPER_USER_OPERATIONS=team lets helpers call them.

#include <dlfcn.h>
#include <mpi.h>

#include <string_view>

#include "reduction/user_function.hpp"

using namespace helper;
using reduction::UserFunction;

namespace {

#if defined(OPEN_MPI)
/// Returns whether the caller is Open MPI's Fortran, whose functions take other handles than C's.
bool is_fortran(const void* caller) {
  Dl_info found;
  if (dladdr(caller, &found) == 0) return false;
  const std::string_view file(found.dli_fname);
  return file.find("libmpi_mpifh") != file.npos || file.find("libmpi_usempi") != file.npos;
}
#elif defined(MPICH_NUMVERSION)
/// Returns whether functions in Fortran take other arguments than functions in C. With MPICH this depends on
/// the size of integers only, not on the caller.
bool is_fortran(const void*) {
  return sizeof(MPI_Fint) != sizeof(int);
}
#else
/// Returns false: the Fortran interfaces of the standard ABI convert their functions to C functions.
bool is_fortran(const void*) {
  return false;
}
#endif

/// Keeps the function of an operation that MPI has made, unless its arguments differ from those of C.
template <class Function>
int keep(int code, MPI_Op* op, Function* function, const void* caller) {
  if (code == MPI_SUCCESS && op != nullptr && !is_fortran(caller)) UserFunction::keep(*op, function);
  return code;
}

/// Forgets the function of `op`. Then calls the next function `name` in the dynamic linker's search order.
template <class Function>
void set_cxx(const char* name, MPI_Op op, Function* function) {
  UserFunction::forget(op);
  reinterpret_cast<void (*)(MPI_Op, Function*)>(dlsym(RTLD_NEXT, name))(op, function);
}

} // namespace

extern "C" {

// With these functions the C++ bindings, which MPI 3 removed, tell MPICH and Open MPI that an operation's
// function has C++ arguments. They are weak, since MPI may be linked statically.
[[gnu::weak, gnu::visibility("default")]] void MPII_Op_set_cxx(MPI_Op op, void (*function)());
[[gnu::weak, gnu::visibility("default")]] void ompi_op_set_cxx_callback(MPI_Op op,
                                                                        MPI_User_function* function);

int MPI_Op_create(MPI_User_function* user_fn, int commute, MPI_Op* op) {
  return keep(PMPI_Op_create(user_fn, commute, op), op, user_fn, __builtin_return_address(0));
}

#if MPI_VERSION >= 4
int MPI_Op_create_c(MPI_User_function_c* user_fn, int commute, MPI_Op* op) {
  return keep(PMPI_Op_create_c(user_fn, commute, op), op, user_fn, __builtin_return_address(0));
}
#endif

int MPI_Op_free(MPI_Op* op) {
  if (op != nullptr) UserFunction::forget(*op); // before another thread may get the handle
  return PMPI_Op_free(op);
}

void MPII_Op_set_cxx(MPI_Op op, void (*function)()) {
  set_cxx("MPII_Op_set_cxx", op, function);
}

void ompi_op_set_cxx_callback(MPI_Op op, MPI_User_function* function) {
  set_cxx("ompi_op_set_cxx_callback", op, function);
}

} // extern "C"
