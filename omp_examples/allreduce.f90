! SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
! SPDX-License-Identifier: BSD-3-Clause

! An OpenMP program with separate phases of computation and communication, in Fortran with the module mpi_f08.
! One thread calls MPI_Allreduce. The others go straight to LEAVE and help it.
program allreduce
  use mpi_f08
  use mpi_helper_f08
  use omp_lib
  implicit none
  integer, parameter :: count = 2**20
  double precision, allocatable :: addends(:), sums(:)
  type(MPI_Helper_team) :: team
  integer :: provided, rank, ranks, wrong, i

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  allocate (addends(count), sums(count))
  wrong = 0

  !$omp parallel private(team)
  call MPI_Helper_team_create(0, omp_get_num_threads(), team)

  ! All threads compute …
  !$omp do
  do i = 1, count
    addends(i) = (rank + 1) * mod(i, 1000)
  end do
  !$omp end do nowait

  ! … and all communicate. JOIN does not wait; the barrier says that all have computed and joined.
  call MPI_Helper_join(team)
  !$omp barrier
  !$omp master
  call MPI_Allreduce(addends, sums, count, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  !$omp end master
  call MPI_Helper_leave(team)

  ! LEAVE returns when every member has come to it, so the sums are there for all threads to use.
  !$omp do reduction(+ : wrong)
  do i = 1, count
    if (nint(sums(i)) /= ranks * (ranks + 1) / 2 * mod(i, 1000)) wrong = wrong + 1
  end do

  call MPI_Helper_team_free(team)
  !$omp end parallel

  if (wrong == 0 .and. rank == 0) print *, 'The sums are right'
  call MPI_Finalize()
  if (wrong > 0) error stop 'sums are wrong'
end program
