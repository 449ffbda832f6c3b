// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The functions of mpi_helper.h under the names that Fortran uses: with mpi_helper.f90, with
// mpi_helper_f08.f90, and without a module.

#include "mpi_helper.h"

#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <tuple>
#include <type_traits>

#if !defined(MPICH_NUMVERSION) && !defined(OPEN_MPI)
using MPI_Fint = int; // the ABI's mpi.h may lack it: Fortran handles are int there
#endif

// The addresses of Fortran's MPI_IN_PLACE and MPI_BOTTOM. Only libraries for Fortran programs define them,
// and not every mpi.h declares them.
extern "C" {
// MPICH: for mpif.h and the module mpi (a COMMON block), and for mpi_f08.
[[gnu::weak]] extern struct { MPI_Fint bottom, in_place; } mpipriv1_; // and more
[[gnu::weak]] extern int MPIR_F08_MPI_IN_PLACE;
[[gnu::weak]] extern int MPIR_F08_MPI_BOTTOM;
#ifdef MPICH_NUMVERSION
#pragma weak MPI_F08_STATUS_IGNORE // mpi.h declares it, but MPICH 4.2 defines it in its Fortran library
#endif
// Open MPI: for all three interfaces.
[[gnu::weak]] extern int mpi_fortran_in_place_;
[[gnu::weak]] extern int mpi_fortran_bottom_;
[[gnu::weak]] extern int mpi_fortran_status_ignore_;
// mpif, Fortran's interfaces over the standard ABI. Its module mpi_f08 has its own status constants.
[[gnu::weak]] extern const int mpif_in_place_;
[[gnu::weak]] extern const int mpif_bottom_;
[[gnu::weak]] extern const int mpif_status_ignore_;
[[gnu::weak]] extern const int mpif_f08_status_ignore_;
}

/// Converts arguments from Fortran, which passes the address of each. The library's handles are the same
/// integers in C and Fortran. A LOGICAL is false if it is 0. Addresses such as MPI_IN_PLACE differ.
namespace helper::fortran {

/// Returns whether `reference` is the address `constant`, which is null if the program lacks the constant.
inline bool is(const void* reference, const void* constant) {
  return constant != nullptr && reference == constant;
}

inline void* buffer(void* reference) {
  const auto* const common = &mpipriv1_;
  const bool has_common = common != nullptr;
  if (is(reference, &MPIR_F08_MPI_IN_PLACE) || is(reference, &mpi_fortran_in_place_) ||
      is(reference, &mpif_in_place_) || (has_common && is(reference, &common->in_place)))
    return const_cast<void*>(MPI_IN_PLACE);
  if (is(reference, &MPIR_F08_MPI_BOTTOM) || is(reference, &mpi_fortran_bottom_) ||
      is(reference, &mpif_bottom_) || (has_common && is(reference, &common->bottom)))
    return MPI_BOTTOM;
  return reference;
}

/// An argument of a C function, made from Fortran's argument.
template <class Parameter>
struct Argument {
  using Reference = std::conditional_t<std::is_pointer_v<Parameter>, Parameter, const Parameter*>;

  Reference reference;

  // NOLINTNEXTLINE(google-explicit-constructor): it is the argument in a call of MPI
  operator Parameter() const {
    if constexpr (!std::is_pointer_v<Parameter>)
      return *reference;
    else if constexpr (std::is_void_v<std::remove_pointer_t<Parameter>>)
      return buffer(const_cast<void*>(static_cast<const void*>(reference)));
    else
      return reference;
  }
};

/// Stores a status in Fortran's form. Both forms begin with the same integers; in the ABI they are equal.
inline void store(const MPI_Status& status, MPI_Fint* reference) {
#if defined(MPICH_NUMVERSION) || defined(OPEN_MPI)
  MPI_Status_c2f(&status, reference);
#else
  static_assert(sizeof status == MPI_F_STATUS_SIZE * sizeof *reference);
  std::memcpy(reference, &status, sizeof status);
#endif
}

/// A status that a C function sets, stored in Fortran's form. Each interface has its own MPI_STATUS_IGNORE.
template <>
struct Argument<MPI_Status*> {
  using Reference = MPI_Fint*;

  Reference reference;
  MPI_Status status{};

  ~Argument() {
    if (!is_ignored()) store(status, reference);
  }
  // NOLINTNEXTLINE(google-explicit-constructor): it is the argument in a call of MPI
  operator MPI_Status*() { return is_ignored() ? MPI_STATUS_IGNORE : &status; }

private:
  bool is_ignored() const {
#if defined(MPICH_NUMVERSION)
    const auto* const of_f08 = &MPI_F08_STATUS_IGNORE;
    return reference == MPI_F_STATUS_IGNORE ||
           (of_f08 != nullptr && static_cast<const void*>(reference) == *of_f08);
#elif defined(OPEN_MPI)
    return reference == MPI_F_STATUS_IGNORE || is(reference, &mpi_fortran_status_ignore_);
#else
    return is(reference, &mpif_status_ignore_) || is(reference, &mpif_f08_status_ignore_);
#endif
  }
};

#ifndef MPICH_NUMVERSION

/// A handle of MPI as an argument.
template <class Handle, Handle (*FromFortran)(MPI_Fint)>
struct HandleArgument {
  using Reference = const MPI_Fint*;

  Reference reference;

  // NOLINTNEXTLINE(google-explicit-constructor): it is the argument in a call of MPI
  operator Handle() const { return FromFortran(*reference); }
};

/// A handle that a C function sets.
template <class Handle, MPI_Fint (*ToFortran)(Handle)>
struct NewHandleArgument {
  using Reference = MPI_Fint*;

  Reference reference;
  Handle made = nullptr;

  ~NewHandleArgument() {
    if (made != nullptr) *reference = ToFortran(made);
  }
  // NOLINTNEXTLINE(google-explicit-constructor): it is the argument in a call of MPI
  operator Handle*() { return &made; }
};

#ifdef OPEN_MPI
#define MPI_HELPER_FROM_FORTRAN(Kind) MPI_##Kind##_f2c
#define MPI_HELPER_TO_FORTRAN(Kind) MPI_##Kind##_c2f
#else // the ABI's functions
#define MPI_HELPER_FROM_FORTRAN(Kind) MPI_##Kind##_fromint
#define MPI_HELPER_TO_FORTRAN(Kind) MPI_##Kind##_toint
#endif
template <>
struct Argument<MPI_Comm> : HandleArgument<MPI_Comm, MPI_HELPER_FROM_FORTRAN(Comm)> {};
template <>
struct Argument<MPI_Datatype> : HandleArgument<MPI_Datatype, MPI_HELPER_FROM_FORTRAN(Type)> {};
template <>
struct Argument<MPI_Group> : HandleArgument<MPI_Group, MPI_HELPER_FROM_FORTRAN(Group)> {};
template <>
struct Argument<MPI_Info> : HandleArgument<MPI_Info, MPI_HELPER_FROM_FORTRAN(Info)> {};
template <>
struct Argument<MPI_Op> : HandleArgument<MPI_Op, MPI_HELPER_FROM_FORTRAN(Op)> {};
template <>
struct Argument<MPI_Comm*> : NewHandleArgument<MPI_Comm, MPI_HELPER_TO_FORTRAN(Comm)> {};
template <>
struct Argument<MPI_Datatype*> : NewHandleArgument<MPI_Datatype, MPI_HELPER_TO_FORTRAN(Type)> {};
template <>
struct Argument<MPI_Request*> : NewHandleArgument<MPI_Request, MPI_HELPER_TO_FORTRAN(Request)> {};

#endif

/// Stores an MPI code in IERROR, which is null if the program left it out.
inline void store(int code, MPI_Fint* ierror) {
  if (ierror != nullptr) *ierror = code;
}

template <auto Function>
struct ByReference;

/// call() calls the C function `Function` with Fortran's arguments.
template <class... Parameters, int (*Function)(Parameters...)>
struct ByReference<Function> {
  template <std::size_t at>
  using Reference = std::tuple_element_t<at, std::tuple<typename Argument<Parameters>::Reference...>>;

  static void call(typename Argument<Parameters>::Reference... references, MPI_Fint* ierror) {
    store(Function(Argument<Parameters>{{references}}...), ierror);
  }
};

} // namespace helper::fortran

using helper::fortran::ByReference;

// The parameters of a function with a certain number of parameters, and the names of the parameters.
#define PARAMETER(Function, at) ByReference<Function>::Reference<at> a##at
#define PARAMETERS_1(F) PARAMETER(F, 0)
#define PARAMETERS_2(F) PARAMETERS_1(F), PARAMETER(F, 1)
#define PARAMETERS_3(F) PARAMETERS_2(F), PARAMETER(F, 2)
#define PARAMETERS_4(F) PARAMETERS_3(F), PARAMETER(F, 3)
#define PARAMETERS_5(F) PARAMETERS_4(F), PARAMETER(F, 4)
#define PARAMETERS_6(F) PARAMETERS_5(F), PARAMETER(F, 5)
#define PARAMETERS_7(F) PARAMETERS_6(F), PARAMETER(F, 6)
#define PARAMETERS_8(F) PARAMETERS_7(F), PARAMETER(F, 7)
#define NAMES_1 a0
#define NAMES_2 NAMES_1, a1
#define NAMES_3 NAMES_2, a2
#define NAMES_4 NAMES_3, a3
#define NAMES_5 NAMES_4, a4
#define NAMES_6 NAMES_5, a5
#define NAMES_7 NAMES_6, a6
#define NAMES_8 NAMES_7, a7

/// Defines `name`, which calls Function, a function of `count` parameters. Another count does not compile.
#define BY_REFERENCE(name, Function, count)                                                                  \
  void name(PARAMETERS_##count(Function), MPI_Fint* ierror) {                                                \
    ByReference<Function>::call(NAMES_##count, ierror);                                                      \
  }

extern "C" {

BY_REFERENCE(mpix_helper_version_, MPIX_Helper_version, 3)
BY_REFERENCE(mpi_helper_team_create_, MPI_Helper_team_create, 3)
BY_REFERENCE(mpix_helper_team_create_info_, MPIX_Helper_team_create_info, 4)
BY_REFERENCE(mpi_helper_team_free_, MPI_Helper_team_free, 1)
BY_REFERENCE(mpi_helper_join_, MPI_Helper_join, 1)
BY_REFERENCE(mpi_helper_leave_, MPI_Helper_leave, 1)
BY_REFERENCE(mpi_helper_fence_, MPI_Helper_fence, 1)
BY_REFERENCE(mpix_helper_allreduce_, MPIX_Helper_allreduce, 7)
BY_REFERENCE(mpix_helper_reduce_scatter_block_, MPIX_Helper_reduce_scatter_block, 7)
BY_REFERENCE(mpix_helper_allgather_, MPIX_Helper_allgather, 6)
BY_REFERENCE(mpix_helper_bcast_, MPIX_Helper_bcast, 6)
BY_REFERENCE(mpix_helper_barrier_, MPIX_Helper_barrier, 2)
BY_REFERENCE(mpix_helper_for_, MPIX_Helper_for, 6)
BY_REFERENCE(mpix_helper_type_create_, MPIX_Helper_type_create, 5)
BY_REFERENCE(mpix_helper_alloc_, MPIX_Helper_alloc, 4)
BY_REFERENCE(mpix_helper_free_, MPIX_Helper_free, 1)
BY_REFERENCE(mpix_group_comm_create_, MPIX_Group_comm_create, 4)
BY_REFERENCE(mpix_group_comm_create_info_, MPIX_Group_comm_create_info, 5)
BY_REFERENCE(mpix_sysgroup_from_comm_, MPIX_Sysgroup_from_comm, 3)
BY_REFERENCE(mpix_sysgroup_enroll_, MPIX_Sysgroup_enroll, 4)
BY_REFERENCE(mpix_sysgroup_split_, MPIX_Sysgroup_split, 4)
BY_REFERENCE(mpix_sysgroup_free_, MPIX_Sysgroup_free, 1)
BY_REFERENCE(mpix_sysgroup_rank_, MPIX_Sysgroup_rank, 2)
BY_REFERENCE(mpix_sysgroup_size_, MPIX_Sysgroup_size, 2)
BY_REFERENCE(mpix_sysgroup_depth_, MPIX_Sysgroup_depth, 2)
BY_REFERENCE(mpix_sysgroup_parent_, MPIX_Sysgroup_parent, 2)
BY_REFERENCE(mpix_sysgroup_children_, MPIX_Sysgroup_children, 4)
BY_REFERENCE(mpix_sysgroup_to_comm_, MPIX_Sysgroup_to_comm, 2)
BY_REFERENCE(mpix_sysgroup_barrier_, MPIX_Sysgroup_barrier, 1)
BY_REFERENCE(mpix_sysgroup_bcast_, MPIX_Sysgroup_bcast, 5)
BY_REFERENCE(mpix_sysgroup_reduce_, MPIX_Sysgroup_reduce, 7)
BY_REFERENCE(mpix_sysgroup_allreduce_, MPIX_Sysgroup_allreduce, 6)
BY_REFERENCE(mpix_sysgroup_gather_, MPIX_Sysgroup_gather, 8)
BY_REFERENCE(mpix_sysgroup_allgather_, MPIX_Sysgroup_allgather, 7)
BY_REFERENCE(mpix_sysgroup_scan_, MPIX_Sysgroup_scan, 6)
BY_REFERENCE(mpix_sysgroup_send_, MPIX_Sysgroup_send, 6)
BY_REFERENCE(mpix_sysgroup_recv_, MPIX_Sysgroup_recv, 7)
BY_REFERENCE(mpix_sysgroup_ibarrier_, MPIX_Sysgroup_ibarrier, 2)
BY_REFERENCE(mpix_sysgroup_ibcast_, MPIX_Sysgroup_ibcast, 6)
BY_REFERENCE(mpix_sysgroup_ireduce_, MPIX_Sysgroup_ireduce, 8)
BY_REFERENCE(mpix_sysgroup_iallreduce_, MPIX_Sysgroup_iallreduce, 7)

} // extern "C"
