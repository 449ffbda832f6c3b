// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <type_traits>

// Here mpif.h and the module mpi have their constants: a COMMON block, which only programs with Fortran have.
extern "C" [[gnu::weak]] struct { MPI_Fint bottom, in_place, status_ignore[MPI_F_STATUS_SIZE]; } mpipriv1_;

// Here mpi_f08 has them. From MPICH 4.2 on they are in MPICH's Fortran library, which only such programs
// have, and mpi.h does not declare them.
extern "C" {
[[gnu::weak]] extern int MPIR_F08_MPI_IN_PLACE;
[[gnu::weak]] extern int MPIR_F08_MPI_BOTTOM;
}

/// This is where Fortran and C meet. Fortran passes the address of every argument. Handles of MPICH and of
/// the library are the same integers in both, and a LOGICAL is false where it is 0; special addresses differ.
namespace helper::fortran {

static_assert(std::is_same_v<MPI_Fint, int> && std::is_same_v<MPI_Comm, MPI_Fint>);

/// This is what Fortran passes for a parameter of a C function.
template <class Parameter>
using Reference = std::conditional_t<std::is_pointer_v<Parameter>, Parameter, const Parameter*>;

/// Tells whether `reference` is that of a constant, which is null where the program has no such constant.
inline bool is(const void* reference, const int* constant) {
  return constant != nullptr && reference == constant;
}

/// Returns what C passes for it. MPI_IN_PLACE and MPI_BOTTOM may be those of all three Fortran interfaces.
template <class Parameter>
Parameter argument(Reference<Parameter> reference) {
  if constexpr (!std::is_pointer_v<Parameter>) {
    return *reference;
  } else if constexpr (std::is_void_v<std::remove_pointer_t<Parameter>>) {
    const bool has_common = &mpipriv1_ != nullptr;
    if (is(reference, &MPIR_F08_MPI_IN_PLACE) || (has_common && is(reference, &mpipriv1_.in_place)))
      return const_cast<void*>(MPI_IN_PLACE);
    if (is(reference, &MPIR_F08_MPI_BOTTOM) || (has_common && is(reference, &mpipriv1_.bottom)))
      return MPI_BOTTOM;
    return reference;
  } else {
    return reference;
  }
}

/// Stores an MPI code in IERROR, which is null where the program left it out.
inline void store(int code, MPI_Fint* ierror) {
  if (ierror != nullptr) *ierror = code;
}

template <auto Function>
struct ByReference;

/// Calls a C function as Fortran does.
template <class... Parameters, int (*Function)(Parameters...)>
struct ByReference<Function> {
  static void call(Reference<Parameters>... references, MPI_Fint* ierror) {
    store(Function(argument<Parameters>(references)...), ierror);
  }
};

} // namespace helper::fortran
