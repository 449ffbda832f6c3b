! SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
! SPDX-License-Identifier: BSD-3-Clause

! All of mpi_helper_f08, and MPI calls of the module mpi_f08 in phases. It prints what differs from the
! expected values.
program f08
  use mpi_f08
  use mpi_helper_f08
  use omp_lib
  use shared
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
  implicit none
  integer :: provided, ranks

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call version()
  call phases()
  call memory()
  call groups()
  call system_ranked_groups()
  call errors()
  call MPI_Finalize()

contains

  subroutine version()
    integer :: major, minor, patch
    call MPIX_Helper_version(major, minor, patch)
    call expect(major == MPIX_HELPER_VERSION_MAJOR .and. minor == MPIX_HELPER_VERSION_MINOR .and. &
                patch == MPIX_HELPER_VERSION_PATCH, 'MPIX_Helper_version')
  end subroutine

  subroutine phases()
    type(MPI_Helper_team) :: team
    !$omp parallel private(team)
    call MPIX_Helper_team_create_info(7, omp_get_num_threads(), MPI_INFO_NULL, team)
    call MPI_Helper_join(team)
    !$omp master
    call reduction()
    call exchange()
    call persistent()
    call neighbors()
    call loop(team)
    call packed()
    !$omp end master
    call MPI_Helper_fence(team)
    call hybrid(team)
    call MPI_Helper_leave(team)
    call MPI_Helper_team_free(team)
    call expect(team%MPI_VAL == MPI_HELPER_TEAM_NULL%MPI_VAL, 'a freed team is MPI_HELPER_TEAM_NULL')
    !$omp end parallel
  end subroutine

  subroutine loop(team)
    type(MPI_Helper_team), intent(in) :: team
    integer :: values(100000), i
    values = 0
    call MPIX_Helper_for(team, 1_MPI_COUNT_KIND, size(values) + 1_MPI_COUNT_KIND, 1000_MPI_COUNT_KIND, fill, values)
    call expect(all(values == [(i, i = 1, size(values))]), 'MPIX_Helper_for')
  end subroutine

  ! Sends every second number, packed by functions.
  subroutine packed()
    integer :: cells(2000), values(1000), i
    type(MPI_Datatype) :: type
    cells = [(i, i = 1, size(cells))]
    call MPIX_Helper_type_create(pack, unpack, 4000_MPI_COUNT_KIND, cells, type)
    call MPI_Sendrecv(cells, 1, type, 0, 0, values, 1000, MPI_INTEGER, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE)
    call expect(all(values == cells(1::2)), 'what a function packs')
    call MPI_Sendrecv(-values, 1000, MPI_INTEGER, 0, 0, cells, 1, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE)
    call expect(all(cells(1::2) == -values) .and. all(cells(2::2) > 0), 'what a function unpacks')
    call MPI_Type_free(type)
  end subroutine

  subroutine reduction()
    integer :: values(100000), i
    values = [(i + rank, i = 1, size(values))]
    call MPI_Allreduce(MPI_IN_PLACE, values, size(values), MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect(all(values == [(ranks * i + ranks * (ranks - 1) / 2, i = 1, size(values))]), 'MPI_Allreduce')
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine

  ! Sends every second of many numbers around a ring, with the team, and with functions that complete
  ! requests.
  subroutine exchange()
    integer, parameter :: count = 20000
    integer, asynchronous :: sent(2 * count), received(2 * count)
    integer :: i, index
    type(MPI_Datatype) :: scattered
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: status, statuses(2)
    logical :: done
    call MPI_Type_vector(count, 1, 2, MPI_INTEGER, scattered)
    call MPI_Type_commit(scattered)
    do i = 1, 4
      sent = rank + i
      received = -1
      call MPI_Irecv(received, 1, scattered, modulo(rank - 1, ranks), i, MPI_COMM_WORLD, requests(1))
      call MPI_Barrier(MPI_COMM_WORLD) ! all have received by the library, so that they can be announced to
      call MPI_Isend(sent, 1, scattered, modulo(rank + 1, ranks), i, MPI_COMM_WORLD, requests(2))
      select case (i)
      case (1)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      case (2)
        call MPI_Waitall(2, requests, statuses)
        call expect(statuses(1)%MPI_SOURCE == modulo(rank - 1, ranks), 'the source of MPI_Waitall')
      case (3)
        done = .false.
        do while (.not. done)
          call MPI_Test(requests(1), done, status)
        end do
        call expect(status%MPI_TAG == i, 'the tag of MPI_Test')
        call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
      case (4)
        call MPI_Waitany(2, requests, index, MPI_STATUS_IGNORE)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      end select
      call expect(all(received(1::2) == modulo(rank - 1, ranks) + i) .and. all(received(2::2) == -1), 'data of MPI_Isend')
      call expect(requests(1) == MPI_REQUEST_NULL .and. requests(2) == MPI_REQUEST_NULL, 'requests are complete')
    end do
    call MPI_Isend(sent, 1, scattered, modulo(rank + 1, ranks), 5, MPI_COMM_WORLD, requests(1))
    call MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, status)
    call MPI_Get_count(status, scattered, i)
    call expect(i == 1, 'the size that MPI_Probe tells')
    call MPI_Recv(received, 1, scattered, status%MPI_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(requests(1), status)
    call MPI_Type_free(scattered)
  end subroutine

  subroutine persistent()
    integer, asynchronous :: sent(50), received(50)
    integer :: i
    type(MPI_Request) :: requests(2)
    call MPI_Recv_init(received, 50, MPI_INTEGER, modulo(rank - 1, ranks), 0, MPI_COMM_WORLD, requests(1))
    call MPI_Send_init(sent, 50, MPI_INTEGER, modulo(rank + 1, ranks), 0, MPI_COMM_WORLD, requests(2))
    do i = 1, 3
      sent = i
      received = 0
      call MPI_Startall(2, requests)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      call expect(all(received == i), 'persistent requests')
    end do
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
  end subroutine

  ! Sends each rank's own number around a ring, in both directions, non-blocking, and persistent if MPI can.
  subroutine neighbors()
    integer, asynchronous :: sent(20000), received(20000)
    integer :: i, last
    type(MPI_Comm) :: ring
    type(MPI_Request) :: requests(2)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring)
    call MPI_Barrier(ring)
    last = 1
    requests = MPI_REQUEST_NULL
#ifdef HAS_MPI_4
    last = 3
    call MPI_Neighbor_alltoall_init(sent, 10000, MPI_INTEGER, received, 10000, MPI_INTEGER, ring, MPI_INFO_NULL, requests(2))
#endif
    sent = rank
    do i = 1, last
      received = -1
      if (i == 1) call MPI_Ineighbor_alltoall(sent, 10000, MPI_INTEGER, received, 10000, MPI_INTEGER, ring, requests(1))
      if (i > 1) call MPI_Start(requests(2))
      call MPI_Wait(requests(min(i, 2)), MPI_STATUS_IGNORE)
      call expect(all(received(:10000) == modulo(rank - 1, ranks)) .and. &
                  all(received(10001:) == modulo(rank + 1, ranks)), 'what neighbours exchange')
    end do
    if (last > 1) call MPI_Request_free(requests(2))
    call MPI_Comm_free(ring)
  end subroutine

  subroutine hybrid(team)
    type(MPI_Helper_team), intent(in) :: team
    integer :: mine, members(3), separate(6)
    integer, allocatable :: blocks(:)
    mine = 1
    call MPIX_Helper_allreduce(team, MPI_IN_PLACE, mine, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect(mine == ranks * omp_get_num_threads(), 'MPIX_Helper_allreduce in place')
    separate = 5
    call MPIX_Helper_allreduce(team, separate, members, 3, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    call expect(all(members == 5), 'MPIX_Helper_allreduce')
    call MPIX_Helper_allreduce(team, members, separate(2::2), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect(all(separate(2::2) == 5 * mine) .and. all(separate(1::2) == 5), 'a section of an array')
    allocate(blocks(mine))
    call MPIX_Helper_allgather(team, rank, blocks, 1, MPI_INTEGER, MPI_COMM_WORLD)
    call expect(sum(blocks) == omp_get_num_threads() * ranks * (ranks - 1) / 2, 'MPIX_Helper_allgather')
    blocks = 2
    call MPIX_Helper_reduce_scatter_block(team, blocks, members(1), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect(members(1) == 2 * mine, 'MPIX_Helper_reduce_scatter_block')
    members = rank
    call MPIX_Helper_bcast(team, members, 3, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD)
    call expect(all(members == ranks - 1), 'MPIX_Helper_bcast')
    call MPIX_Helper_barrier(team, MPI_COMM_WORLD)
  end subroutine

  subroutine memory()
    type(c_ptr) :: base
    integer, pointer :: values(:)
    call MPIX_Helper_alloc(400_MPI_ADDRESS_KIND, MPI_INFO_NULL, MPI_COMM_WORLD, base)
    call c_f_pointer(base, values, [100])
    values = 3
    call expect(sum(values) == 300, 'MPIX_Helper_alloc')
    call MPIX_Helper_free(values)
    call MPI_Alloc_mem(8000_MPI_ADDRESS_KIND, MPI_INFO_NULL, base)
    call c_f_pointer(base, values, [2000])
    values = 1
    call MPI_Free_mem(values)
  end subroutine

  subroutine groups()
    type(MPI_Group) :: all, first
    type(MPI_Comm) :: comm, duplicate
    integer :: n
    call MPI_Comm_group(MPI_COMM_WORLD, all)
    call MPI_Group_incl(all, 1, [0], first)
    call MPIX_Group_comm_create(MPI_COMM_WORLD, first, 3, comm)
    call expect((comm == MPI_COMM_NULL) .neqv. (rank == 0), 'MPIX_Group_comm_create')
    if (rank == 0) call MPI_Comm_free(comm)
    call MPIX_Group_comm_create_info(MPI_COMM_WORLD, all, 3, MPI_INFO_NULL, comm)
    call MPI_Comm_dup(comm, duplicate)
    call MPI_Comm_size(duplicate, n)
    call expect(n == ranks, 'MPIX_Group_comm_create_info')
    call MPI_Comm_free(duplicate)
    call MPI_Comm_free(comm)
    call MPI_Group_free(first)
    call MPI_Group_free(all)
  end subroutine

  subroutine system_ranked_groups()
    type(MPIX_Sysgroup) :: group, even, one
    integer :: n, at, ranks_below(4)
    call MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, group)
    call MPIX_Sysgroup_size(group, n)
    call MPIX_Sysgroup_rank(group, at)
    call expect(n == ranks .and. at == rank, 'MPIX_Sysgroup_from_comm')
    call MPIX_Sysgroup_enroll(group, mod(rank, 2) == 0, MPI_INFO_NULL, even)
    call expect((even%MPI_VAL == MPIX_SYSGROUP_NULL%MPI_VAL) .eqv. mod(rank, 2) == 1, 'MPIX_Sysgroup_enroll')
    if (mod(rank, 2) == 0) call MPIX_Sysgroup_free(even)
    call MPIX_Sysgroup_split(group, rank, MPI_INFO_NULL, one)
    call MPIX_Sysgroup_depth(one, n)
    call MPIX_Sysgroup_parent(one, at)
    call expect(n == 0 .and. at == MPI_PROC_NULL, 'MPIX_Sysgroup_split')
    call MPIX_Sysgroup_children(group, 4, n, ranks_below)
    call expect(all(ranks_below(:n) > rank), 'MPIX_Sysgroup_children')
    call MPIX_Sysgroup_free(one)
    call operations(group)
    call MPIX_Sysgroup_free(group)
    call expect(group%MPI_VAL == MPIX_SYSGROUP_NULL%MPI_VAL, 'MPIX_Sysgroup_free')
  end subroutine

  subroutine operations(group)
    type(MPIX_Sysgroup), intent(in) :: group
    type(MPI_Request) :: requests(4)
    type(MPI_Comm) :: comm
    type(MPI_Status) :: status
    integer, asynchronous :: data(3), all_sums(3), sums(3)
    integer :: n, blocks(ranks)
    call MPIX_Sysgroup_to_comm(group, comm)
    call MPI_Comm_size(comm, n)
    call expect(n == ranks, 'MPIX_Sysgroup_to_comm')
    call MPI_Comm_free(comm)

    call MPIX_Sysgroup_barrier(group)
    data = rank
    call MPIX_Sysgroup_bcast(data, 3, MPI_INTEGER, ranks - 1, group)
    call expect(all(data == ranks - 1), 'MPIX_Sysgroup_bcast')
    call MPIX_Sysgroup_reduce(data, sums, 3, MPI_INTEGER, MPI_SUM, 0, group)
    call MPIX_Sysgroup_allreduce(data, all_sums, 3, MPI_INTEGER, MPI_SUM, group)
    call expect(all(all_sums == ranks * (ranks - 1)), 'MPIX_Sysgroup_allreduce')
    if (rank == 0) call expect(all(sums == all_sums), 'MPIX_Sysgroup_reduce')

    call MPIX_Sysgroup_allgather(rank, 1, MPI_INTEGER, blocks, 1, MPI_INTEGER, group)
    call expect(all(blocks(:ranks) == [(n, n = 0, ranks - 1)]), 'MPIX_Sysgroup_allgather')
    blocks = -1
    blocks(rank + 1) = rank
    if (rank == 0) then
      call MPIX_Sysgroup_gather(MPI_IN_PLACE, 1, MPI_INTEGER, blocks, 1, MPI_INTEGER, 0, group)
      call expect(all(blocks(:ranks) == [(n, n = 0, ranks - 1)]), 'MPIX_Sysgroup_gather')
    else
      call MPIX_Sysgroup_gather(rank, 1, MPI_INTEGER, blocks, 1, MPI_INTEGER, 0, group)
    end if
    call MPIX_Sysgroup_scan(1, n, 1, MPI_INTEGER, MPI_SUM, group)
    call expect(n == rank + 1, 'MPIX_Sysgroup_scan')
    if (rank == 0) then
      call MPIX_Sysgroup_send(data, 3, MPI_INTEGER, ranks - 1, 5, group)
      call MPIX_Sysgroup_send(data, 3, MPI_INTEGER, ranks - 1, 6, group)
    else if (rank == ranks - 1) then
      call MPIX_Sysgroup_recv(sums, 3, MPI_INTEGER, MPI_ANY_SOURCE, 5, group, status)
      call MPI_Get_count(status, MPI_INTEGER, n)
      call expect(all(sums == data) .and. status%MPI_SOURCE == 0 .and. n == 3, 'MPIX_Sysgroup_recv')
      call MPIX_Sysgroup_recv(sums, 3, MPI_INTEGER, 0, 6, group, MPI_STATUS_IGNORE)
    end if

    call MPIX_Sysgroup_ibarrier(group, requests(1))
    call MPIX_Sysgroup_ireduce(data, sums, 3, MPI_INTEGER, MPI_MAX, 0, group, requests(2))
    call MPIX_Sysgroup_iallreduce(data, all_sums, 3, MPI_INTEGER, MPI_MAX, group, requests(3))
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE)
    call MPIX_Sysgroup_ibcast(all_sums, 3, MPI_INTEGER, 0, group, requests(4))
    call MPI_Wait(requests(4), MPI_STATUS_IGNORE)
    call expect(all(all_sums == ranks - 1) .and. (rank /= 0 .or. all(sums == all_sums)), 'non-blocking')
  end subroutine

  subroutine errors()
    integer :: code, class
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Helper_join(MPI_HELPER_TEAM_NULL, code)
    call MPI_Error_class(code, class)
    call expect(class == MPI_ERR_ARG, 'the class of an error')
  end subroutine
end program
