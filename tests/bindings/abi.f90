! SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
! SPDX-License-Identifier: BSD-3-Clause

! A program for the standard ABI that calls MPI's C functions with C handles, through its own interfaces:
! there is no Fortran library between it and MPI. With an argument its threads are a team; otherwise it does
! not use the library. It prints what differs from the expected values.
program abi
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_intptr_t, c_null_ptr, c_ptr
  implicit none

  interface
    integer(c_int) function MPI_Init_thread(argc, argv, required, provided) bind(C, name='MPI_Init_thread')
      import
      type(c_ptr), value :: argc, argv
      integer(c_int), value :: required
      integer(c_int), intent(out) :: provided
    end function

    integer(c_int) function MPI_Finalize() bind(C, name='MPI_Finalize')
      import
    end function

    integer(c_int) function MPI_Comm_rank(comm, rank) bind(C, name='MPI_Comm_rank')
      import
      type(c_ptr), value :: comm
      integer(c_int), intent(out) :: rank
    end function

    integer(c_int) function MPI_Comm_size(comm, size) bind(C, name='MPI_Comm_size')
      import
      type(c_ptr), value :: comm
      integer(c_int), intent(out) :: size
    end function

    integer(c_int) function MPI_Barrier(comm) bind(C, name='MPI_Barrier')
      import
      type(c_ptr), value :: comm
    end function

    integer(c_int) function MPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm) bind(C, name='MPI_Allreduce')
      import
      type(c_ptr), value :: sendbuf, datatype, op, comm
      type(*), dimension(*) :: recvbuf
      integer(c_int), value :: count
    end function

    integer(c_int) function MPI_Bcast(buffer, count, datatype, root, comm) bind(C, name='MPI_Bcast')
      import
      type(*), dimension(*) :: buffer
      integer(c_int), value :: count, root
      type(c_ptr), value :: datatype, comm
    end function

    integer(c_int) function MPI_Isend(buf, count, datatype, dest, tag, comm, request) bind(C, name='MPI_Isend')
      import
      type(*), dimension(*), intent(in), asynchronous :: buf
      integer(c_int), value :: count, dest, tag
      type(c_ptr), value :: datatype, comm
      type(c_ptr), intent(out) :: request
    end function

    integer(c_int) function MPI_Irecv(buf, count, datatype, source, tag, comm, request) bind(C, name='MPI_Irecv')
      import
      type(*), dimension(*), asynchronous :: buf
      integer(c_int), value :: count, source, tag
      type(c_ptr), value :: datatype, comm
      type(c_ptr), intent(out) :: request
    end function

    integer(c_int) function MPI_Waitall(count, requests, statuses) bind(C, name='MPI_Waitall')
      import
      integer(c_int), value :: count
      type(c_ptr), intent(inout) :: requests(*)
      integer(c_int), intent(out) :: statuses(8, *)
    end function

    integer(c_int) function MPI_Type_vector(count, blocklength, stride, oldtype, newtype) bind(C, name='MPI_Type_vector')
      import
      integer(c_int), value :: count, blocklength, stride
      type(c_ptr), value :: oldtype
      type(c_ptr), intent(out) :: newtype
    end function

    integer(c_int) function MPI_Type_commit(datatype) bind(C, name='MPI_Type_commit')
      import
      type(c_ptr), intent(inout) :: datatype
    end function

    integer(c_int) function MPI_Type_free(datatype) bind(C, name='MPI_Type_free')
      import
      type(c_ptr), intent(inout) :: datatype
    end function

    integer(c_int) function MPI_Helper_team_create(team_id, team_size, team) bind(C, name='MPI_Helper_team_create')
      import
      integer(c_int), value :: team_id, team_size
      integer(c_int), intent(out) :: team
    end function

    integer(c_int) function MPI_Helper_join(team) bind(C, name='MPI_Helper_join')
      import
      integer(c_int), value :: team
    end function

    integer(c_int) function MPI_Helper_leave(team) bind(C, name='MPI_Helper_leave')
      import
      integer(c_int), value :: team
    end function

    integer(c_int) function MPI_Helper_team_free(team) bind(C, name='MPI_Helper_team_free')
      import
      integer(c_int), intent(inout) :: team
    end function
  end interface

  ! What mpi.h defines.
  integer(c_int), parameter :: MPI_SUCCESS = 0, MPI_THREAD_FUNNELED = 1024
  type(c_ptr) :: MPI_COMM_WORLD, MPI_DOUBLE, MPI_SUM, MPI_IN_PLACE

  integer, parameter :: n = 50000
  integer(c_int) :: provided, rank, ranks
  MPI_COMM_WORLD = pointer_of(int(z'101', c_intptr_t))
  MPI_DOUBLE = pointer_of(int(z'214', c_intptr_t))
  MPI_SUM = pointer_of(int(z'21', c_intptr_t))
  MPI_IN_PLACE = pointer_of(1_c_intptr_t)

  call succeed(MPI_Init_thread(c_null_ptr, c_null_ptr, MPI_THREAD_FUNNELED, provided))
  call succeed(MPI_Comm_rank(MPI_COMM_WORLD, rank))
  call succeed(MPI_Comm_size(MPI_COMM_WORLD, ranks))
  if (command_argument_count() > 0) then
    call phase()
  else
    call communicate()
  end if
  call succeed(MPI_Finalize())

contains

  type(c_ptr) function pointer_of(value)
    integer(c_intptr_t), intent(in) :: value
    pointer_of = transfer(value, c_null_ptr)
  end function

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) print '(a,i0,2a)', 'WRONG at rank ', rank, ': ', what
  end subroutine

  subroutine succeed(code)
    integer(c_int), intent(in) :: code
    call expect(code == MPI_SUCCESS, 'an error')
  end subroutine

  subroutine phase()
    integer(c_int) :: team
    !$omp parallel num_threads(2) private(team)
    call succeed(MPI_Helper_team_create(0, 2, team))
    call succeed(MPI_Helper_join(team))
    !$omp master
    call communicate()
    !$omp end master
    call succeed(MPI_Helper_leave(team))
    call succeed(MPI_Helper_team_free(team))
    !$omp end parallel
  end subroutine

  ! A sum, then every second number from the last rank to all, and around a ring.
  subroutine communicate()
    real(c_double), asynchronous :: sent(2 * n), received(2 * n)
    integer(c_int) :: statuses(8, 2), i
    type(c_ptr) :: scattered, requests(2)
    sent = [(real(i + rank, c_double), i = 1, 2 * n)]
    call succeed(MPI_Allreduce(MPI_IN_PLACE, sent, 2 * n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD))
    call expect(all(nint(sent) == [(ranks * i + ranks * (ranks - 1) / 2, i = 1, 2 * n)]), 'MPI_Allreduce')

    call succeed(MPI_Type_vector(n, 1, 2, MPI_DOUBLE, scattered))
    call succeed(MPI_Type_commit(scattered))
    sent = rank
    call succeed(MPI_Bcast(sent, 1, scattered, ranks - 1, MPI_COMM_WORLD))
    call expect(all(nint(sent(1::2)) == ranks - 1) .and. all(nint(sent(2::2)) == rank), 'MPI_Bcast')

    sent = rank
    received = -1
    call succeed(MPI_Irecv(received, 1, scattered, modulo(rank - 1, ranks), 5, MPI_COMM_WORLD, requests(1)))
    call succeed(MPI_Barrier(MPI_COMM_WORLD)) ! all have received by the library, so that they can be announced to
    call succeed(MPI_Isend(sent, 1, scattered, modulo(rank + 1, ranks), 5, MPI_COMM_WORLD, requests(2)))
    call succeed(MPI_Waitall(2, requests, statuses))
    call expect(all(nint(received(1::2)) == modulo(rank - 1, ranks)) .and. all(nint(received(2::2)) == -1), 'a message')
    call expect(all(statuses(:2, 1) == [modulo(rank - 1, ranks), 5]), 'its status')
    call succeed(MPI_Type_free(scattered))
  end subroutine
end program
