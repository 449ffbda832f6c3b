// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The functions of mpi_helper.h under the names that Fortran uses: with mpi_helper.f90, with
// mpi_helper_f08.f90, and without a module.

#include "mpi_helper.h"

#include "fortran/by_reference.hpp"

using helper::fortran::ByReference;

// The parameters of a function, and their names.
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
