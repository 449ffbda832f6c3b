! SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
! SPDX-License-Identifier: BSD-3-Clause

!> Helper teams for programs that use the module mpi_f08. mpi_helper.h documents the functions. IERROR may be
!! left out. The MPI_VAL of a handle is its value in C. Fortran copies arguments that are sections of arrays,
!! so buffers of non-blocking functions must be contiguous.
module mpi_helper_f08
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr
  use mpi_f08, only: MPI_Comm, MPI_Datatype, MPI_Group, MPI_Info, MPI_Op, MPI_Request, MPI_Status, MPI_ADDRESS_KIND, &
                     MPI_COUNT_KIND
  implicit none

  type, bind(C) :: MPI_Helper_team
    integer(c_int) :: MPI_VAL
  end type

  type, bind(C) :: MPIX_Sysgroup
    integer(c_int) :: MPI_VAL
  end type

  type(MPI_Helper_team), parameter :: MPI_HELPER_TEAM_NULL = MPI_Helper_team(0)
  type(MPIX_Sysgroup), parameter :: MPIX_SYSGROUP_NULL = MPIX_Sysgroup(0)

  integer, parameter :: MPIX_HELPER_VERSION_MAJOR = 0
  integer, parameter :: MPIX_HELPER_VERSION_MINOR = 9
  integer, parameter :: MPIX_HELPER_VERSION_PATCH = 0

  abstract interface
    subroutine MPIX_Helper_for_function(begin, end, data) bind(C)
      import
      integer(c_int64_t), value :: begin, end
      type(c_ptr), value :: data
    end subroutine

    subroutine MPIX_Helper_pack_function(buffer, offset, length, target, data) bind(C)
      import
      type(c_ptr), value :: buffer, target, data
      integer(c_int64_t), value :: offset, length
    end subroutine

    subroutine MPIX_Helper_unpack_function(buffer, offset, length, source, data) bind(C)
      import
      type(c_ptr), value :: buffer, source, data
      integer(c_int64_t), value :: offset, length
    end subroutine
  end interface

  interface
    subroutine MPIX_Helper_version(major, minor, patch, ierror)
      import
      integer, intent(out) :: major, minor, patch
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPI_Helper_team_create(team_id, team_size, team, ierror)
      import
      integer, intent(in) :: team_id, team_size
      type(MPI_Helper_team), intent(out) :: team
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_team_create_info(team_id, team_size, info, team, ierror)
      import
      integer, intent(in) :: team_id, team_size
      type(MPI_Info), intent(in) :: info
      type(MPI_Helper_team), intent(out) :: team
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPI_Helper_team_free(team, ierror)
      import
      type(MPI_Helper_team), intent(inout) :: team
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPI_Helper_join(team, ierror)
      import
      type(MPI_Helper_team), intent(in) :: team
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPI_Helper_leave(team, ierror)
      import
      type(MPI_Helper_team), intent(in) :: team
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPI_Helper_fence(team, ierror)
      import
      type(MPI_Helper_team), intent(in) :: team
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_allreduce(team, sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(MPI_Helper_team), intent(in) :: team
      type(*), dimension(*), intent(in) :: sendbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_reduce_scatter_block(team, sendbuf, recvbuf, recvcount, datatype, op, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(MPI_Helper_team), intent(in) :: team
      type(*), dimension(*), intent(in) :: sendbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_allgather(team, sendbuf, recvbuf, count, datatype, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(MPI_Helper_team), intent(in) :: team
      type(*), dimension(*), intent(in) :: sendbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_bcast(team, buffer, count, datatype, root, comm, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      type(MPI_Helper_team), intent(in) :: team
      type(*), dimension(*) :: buffer
      integer, intent(in) :: count, root
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_barrier(team, comm, ierror)
      import
      type(MPI_Helper_team), intent(in) :: team
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_for(team, begin, end, grain, function, data, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: data
      type(MPI_Helper_team), intent(in) :: team
      integer(MPI_COUNT_KIND), intent(in) :: begin, end, grain
      procedure(MPIX_Helper_for_function) :: function
      type(*), dimension(*) :: data
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_type_create(pack, unpack, bytes, data, type, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: data
      procedure(MPIX_Helper_pack_function) :: pack
      procedure(MPIX_Helper_unpack_function) :: unpack
      integer(MPI_COUNT_KIND), intent(in) :: bytes
      type(*), dimension(*) :: data
      type(MPI_Datatype), intent(out) :: type
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_alloc(size, info, comm, baseptr, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr), intent(out) :: baseptr
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_free(base, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      type(*), dimension(*) :: base
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Group_comm_create(comm, group, tag, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: tag
      type(MPI_Comm), intent(out) :: newcomm
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Group_comm_create_info(comm, group, tag, info, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: tag
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(out) :: newcomm
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_from_comm(comm, info, group, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPIX_Sysgroup), intent(out) :: group
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_enroll(parent, participate, info, group, ierror)
      import
      type(MPIX_Sysgroup), intent(in) :: parent
      logical, intent(in) :: participate
      type(MPI_Info), intent(in) :: info
      type(MPIX_Sysgroup), intent(out) :: group
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_split(parent, color, info, group, ierror)
      import
      type(MPIX_Sysgroup), intent(in) :: parent
      integer, intent(in) :: color
      type(MPI_Info), intent(in) :: info
      type(MPIX_Sysgroup), intent(out) :: group
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_free(group, ierror)
      import
      type(MPIX_Sysgroup), intent(inout) :: group
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_rank(group, rank, ierror)
      import
      type(MPIX_Sysgroup), intent(in) :: group
      integer, intent(out) :: rank
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_size(group, size, ierror)
      import
      type(MPIX_Sysgroup), intent(in) :: group
      integer, intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_depth(group, depth, ierror)
      import
      type(MPIX_Sysgroup), intent(in) :: group
      integer, intent(out) :: depth
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_parent(group, rank, ierror)
      import
      type(MPIX_Sysgroup), intent(in) :: group
      integer, intent(out) :: rank
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_children(group, most, count, ranks, ierror)
      import
      type(MPIX_Sysgroup), intent(in) :: group
      integer, intent(in) :: most
      integer, intent(out) :: count, ranks(*)
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_to_comm(group, comm, ierror)
      import
      type(MPIX_Sysgroup), intent(in) :: group
      type(MPI_Comm), intent(out) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_barrier(group, ierror)
      import
      type(MPIX_Sysgroup), intent(in) :: group
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_bcast(buffer, count, datatype, root, group, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: count, root
      type(MPI_Datatype), intent(in) :: datatype
      type(MPIX_Sysgroup), intent(in) :: group
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_reduce(sendbuf, recvbuf, count, datatype, op, root, group, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*), intent(in) :: sendbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count, root
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPIX_Sysgroup), intent(in) :: group
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_allreduce(sendbuf, recvbuf, count, datatype, op, group, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*), intent(in) :: sendbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPIX_Sysgroup), intent(in) :: group
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, group, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*), intent(in) :: sendbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: sendcount, recvcount, root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPIX_Sysgroup), intent(in) :: group
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, group, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*), intent(in) :: sendbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPIX_Sysgroup), intent(in) :: group
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_scan(sendbuf, recvbuf, count, datatype, op, group, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*), intent(in) :: sendbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPIX_Sysgroup), intent(in) :: group
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_send(buf, count, datatype, dest, tag, group, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*), intent(in) :: buf
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPIX_Sysgroup), intent(in) :: group
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_recv(buf, count, datatype, source, tag, group, status, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPIX_Sysgroup), intent(in) :: group
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_ibarrier(group, request, ierror)
      import
      type(MPIX_Sysgroup), intent(in) :: group
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_ibcast(buffer, count, datatype, root, group, request, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      type(*), dimension(*), asynchronous :: buffer
      integer, intent(in) :: count, root
      type(MPI_Datatype), intent(in) :: datatype
      type(MPIX_Sysgroup), intent(in) :: group
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_ireduce(sendbuf, recvbuf, count, datatype, op, root, group, request, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*), intent(in), asynchronous :: sendbuf
      type(*), dimension(*), asynchronous :: recvbuf
      integer, intent(in) :: count, root
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPIX_Sysgroup), intent(in) :: group
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_iallreduce(sendbuf, recvbuf, count, datatype, op, group, request, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*), intent(in), asynchronous :: sendbuf
      type(*), dimension(*), asynchronous :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPIX_Sysgroup), intent(in) :: group
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
end module
