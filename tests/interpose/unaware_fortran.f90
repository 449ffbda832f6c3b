! SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
! SPDX-License-Identifier: BSD-3-Clause

! A Fortran program that does not use the library.
program unaware_fortran
  use mpi_f08
  implicit none
  integer :: ranks, i
  double precision :: values(50000)
  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  do i = 1, 50000
    values(i) = i
  end do
  call MPI_Allreduce(MPI_IN_PLACE, values, 50000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  do i = 1, 50000
    if (values(i) /= dble(i) * ranks) stop 'WRONG RESULT'
  end do
  print *, 'all as expected'
  call MPI_Finalize()
end program
