! SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
! SPDX-License-Identifier: BSD-3-Clause

! The module mpi_helper, where it differs from mpi_helper_f08: integers, IERROR, and other special addresses.
program mpi_bindings
  use mpi
  use mpi_helper
  use omp_lib
  use shared
  implicit none
  integer :: provided, ranks, error

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  !$omp parallel
  call member()
  !$omp end parallel
  call groups()
  call errors()
  call MPI_Finalize(error)

contains

  subroutine member()
    integer :: team, mine, error, major, minor, patch
    call MPI_Helper_team_create(1, omp_get_num_threads(), team, error)
    call expect(error == MPI_SUCCESS, 'MPI_Helper_team_create')
    call MPIX_Helper_version(major, minor, patch, error)
    call expect(major == MPIX_HELPER_VERSION_MAJOR .and. minor == MPIX_HELPER_VERSION_MINOR .and. &
                patch == MPIX_HELPER_VERSION_PATCH, 'MPIX_Helper_version')
    call MPI_Helper_join(team, error)
    !$omp master
    call exchange()
    call neighbors()
    call loop(team)
    call packed()
    !$omp end master
    mine = rank
    call MPIX_Helper_allreduce(team, MPI_IN_PLACE, mine, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, error)
    call expect(mine == ranks - 1, 'MPIX_Helper_allreduce')
    call MPI_Helper_leave(team, error)
    call MPI_Helper_team_free(team, error)
    call expect(error == MPI_SUCCESS .and. team == MPI_HELPER_TEAM_NULL, 'MPI_Helper_team_free')
  end subroutine

  subroutine loop(team)
    integer, intent(in) :: team
    integer :: values(100000), i, error
    values = 0
    call MPIX_Helper_for(team, 1_MPI_COUNT_KIND, size(values) + 1_MPI_COUNT_KIND, 1000_MPI_COUNT_KIND, fill, values, error)
    call expect(error == MPI_SUCCESS .and. all(values == [(i, i = 1, size(values))]), 'MPIX_Helper_for')
  end subroutine

  ! Sends every second number, packed by functions.
  subroutine packed()
    integer :: cells(2000), values(1000), i
    integer :: type, error
    cells = [(i, i = 1, size(cells))]
    call MPIX_Helper_type_create(pack, unpack, 4000_MPI_COUNT_KIND, cells, type, error)
    call MPI_Sendrecv(cells, 1, type, 0, 0, values, 1000, MPI_INTEGER, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE, error)
    call expect(all(values == cells(1::2)), 'what a function packs')
    call MPI_Sendrecv(-values, 1000, MPI_INTEGER, 0, 0, cells, 1, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE, error)
    call expect(all(cells(1::2) == -values) .and. all(cells(2::2) > 0), 'what a function unpacks')
    call MPI_Type_free(type, error)
  end subroutine

  ! A message of every second number, from MPI_BOTTOM.
  subroutine exchange()
    integer, asynchronous :: values(40000), received(20000)
    integer :: scattered, there, request, arriving, status(MPI_STATUS_SIZE), error
    integer(MPI_ADDRESS_KIND) :: address
    values = rank
    call MPI_Allreduce(MPI_IN_PLACE, values, size(values), MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call expect(all(values == ranks * (ranks - 1) / 2), 'MPI_Allreduce')
    values(1::2) = rank
    call MPI_Type_vector(size(values) / 2, 1, 2, MPI_INTEGER, scattered, error)
    call MPI_Get_address(values, address, error)
    call MPI_Type_create_hindexed(1, [1], [address], scattered, there, error)
    call MPI_Type_commit(there, error)
    call MPI_Irecv(received, size(received), MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, arriving, error)
    call MPI_Barrier(MPI_COMM_WORLD, error) ! all have received by the library, so that they can be announced to
    call MPI_Isend(MPI_BOTTOM, 1, there, modulo(rank + 1, ranks), 0, MPI_COMM_WORLD, request, error)
    call MPI_Wait(arriving, status, error)
    call expect(all(received == modulo(rank - 1, ranks)) .and. received(1) == status(MPI_SOURCE), 'MPI_Irecv')
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    call MPI_Type_free(there, error)
    call MPI_Type_free(scattered, error)
  end subroutine

  ! Sends each rank's own number around a ring, in both directions.
  subroutine neighbors()
    integer, asynchronous :: sent(20000), received(20000)
    integer :: ring, request, error
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring, error)
    call MPI_Barrier(ring, error)
    sent = rank
    call MPI_Ineighbor_alltoall(sent, 10000, MPI_INTEGER, received, 10000, MPI_INTEGER, ring, request, error)
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    call expect(all(received(:10000) == modulo(rank - 1, ranks)) .and. &
                all(received(10001:) == modulo(rank + 1, ranks)), 'what neighbours exchange')
    call MPI_Comm_free(ring, error)
  end subroutine

  subroutine groups()
    integer :: world, comm, group, sums(2), status(MPI_STATUS_SIZE), error
    call MPI_Comm_group(MPI_COMM_WORLD, world, error)
    call MPIX_Group_comm_create(MPI_COMM_WORLD, world, 0, comm, error)
    call MPI_Group_free(world, error)
    call MPIX_Sysgroup_from_comm(comm, MPI_INFO_NULL, group, error)
    call MPI_Comm_free(comm, error)
    call MPIX_Sysgroup_allreduce([1, rank], sums, 2, MPI_INTEGER, MPI_SUM, group, error)
    call expect(sums(1) == ranks .and. sums(2) == ranks * (ranks - 1) / 2, 'MPIX_Sysgroup_allreduce')
    if (rank == 0) then
      call MPIX_Sysgroup_send(ranks, 1, MPI_INTEGER, ranks - 1, 5, group, error)
      call MPIX_Sysgroup_send(ranks, 1, MPI_INTEGER, ranks - 1, 6, group, error)
    else if (rank == ranks - 1) then
      call MPIX_Sysgroup_recv(sums, 1, MPI_INTEGER, 0, MPI_ANY_TAG, group, status, error)
      call expect(sums(1) == ranks .and. status(MPI_TAG) == 5, 'MPIX_Sysgroup_recv')
      call MPIX_Sysgroup_recv(sums, 1, MPI_INTEGER, 0, 6, group, MPI_STATUS_IGNORE, error)
    end if
    call MPIX_Sysgroup_free(group, error)
    call expect(group == MPIX_SYSGROUP_NULL, 'MPIX_Sysgroup_free')
  end subroutine

  subroutine errors()
    integer :: code, class, error
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, error)
    call MPI_Helper_leave(MPI_HELPER_TEAM_NULL, code)
    call MPI_Error_class(code, class, error)
    call expect(class == MPI_ERR_ARG, 'the class of an error')
  end subroutine
end program
