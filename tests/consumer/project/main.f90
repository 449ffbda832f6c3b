! SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
! SPDX-License-Identifier: BSD-3-Clause

program main
  use mpi_f08
  use mpi_helper_f08
  implicit none
  type(MPI_Helper_team) :: team
  integer :: ranks, total, code, error_class
  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  call MPI_Helper_team_create(0, 1, team)
  call MPI_Helper_join(team)
  call MPI_Allreduce(1, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Helper_leave(team)
  call MPI_Helper_team_free(team)

  ! Only the library's MPI_Error_class knows the library's codes, so this shows that MPI calls reach the
  ! library.
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Helper_team_create(0, -1, team, code)
  call MPI_Error_class(code, error_class)
  call MPI_Finalize()
  if (total /= ranks .or. error_class /= MPI_ERR_ARG) error stop 'not as expected'
end program
