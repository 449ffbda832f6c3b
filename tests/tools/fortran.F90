! SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
! SPDX-License-Identifier: BSD-3-Clause

! What calls.cpp does, in short: compiled with mpif.h, the module mpi or the module mpi_f08.
#if defined USE_MPI_F08
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif

program fortran
#if defined USE_MPI_F08
  use mpi_f08
#elif defined USE_MPI
  use mpi
#endif
  implicit none
#if defined USE_MPIF
  include 'mpif.h'
#endif
  integer, parameter :: n = 20000
  integer :: rank, ranks, next, before, i, error, weights(1)
  double precision :: mine(n), sums(n), got(n)
  HANDLE(MPI_Request) :: requests(2)
  HANDLE(MPI_Comm) :: comm
  HANDLE(MPI_File) :: file
  character(len=200) :: name

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  next = modulo(rank + 1, ranks)
  before = modulo(rank - 1, ranks)
  do i = 1, n
    mine(i) = i + rank
  end do
  call MPI_Allreduce(mine, sums, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  if (sums(n) /= dble(n) * ranks + ranks * (ranks - 1) / 2) stop 'WRONG RESULT'
  call MPI_Irecv(got, n, MPI_DOUBLE_PRECISION, before, 0, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(mine, n, MPI_DOUBLE_PRECISION, next, 0, MPI_COMM_WORLD, requests(2), error)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  if (got(n) /= n + before) stop 'WRONG RESULT'
  call MPI_Barrier(MPI_COMM_WORLD, error)
  weights = 1
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [before], weights, 1, [next], weights, MPI_INFO_NULL, &
                                      .false., comm, error)
  call MPI_Comm_free(comm, error)
  call get_command_argument(0, name)
  call MPI_File_open(MPI_COMM_WORLD, trim(name)//'.tmp', MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                     MPI_INFO_NULL, file, error)
  call MPI_File_close(file, error)
  if (rank == 0) print *, 'all as expected'
  call MPI_Finalize(error)
end program
