! SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
! SPDX-License-Identifier: BSD-3-Clause

!> Helper teams for programs that use the module mpi. mpi_helper.h documents the functions. Handles are
!! integers with the same values as in C. Programs that include mpif.h call the functions without this module;
!! mpi_helper.fh has the constants for them. Fortran copies arguments that are sections of arrays, so buffers
!! of non-blocking functions must be contiguous.
module mpi_helper
  use, intrinsic :: iso_c_binding, only: c_int64_t, c_ptr
  use mpi, only: MPI_ADDRESS_KIND, MPI_COUNT_KIND, MPI_STATUS_SIZE
  implicit none

  include 'mpi_helper.fh'

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
      integer, intent(out) :: major, minor, patch, ierror
    end subroutine

    subroutine MPI_Helper_team_create(team_id, team_size, team, ierror)
      integer, intent(in) :: team_id, team_size
      integer, intent(out) :: team, ierror
    end subroutine

    subroutine MPIX_Helper_team_create_info(team_id, team_size, info, team, ierror)
      integer, intent(in) :: team_id, team_size, info
      integer, intent(out) :: team, ierror
    end subroutine

    subroutine MPI_Helper_team_free(team, ierror)
      integer, intent(inout) :: team
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPI_Helper_join(team, ierror)
      integer, intent(in) :: team
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPI_Helper_leave(team, ierror)
      integer, intent(in) :: team
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPI_Helper_fence(team, ierror)
      integer, intent(in) :: team
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_allreduce(team, sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      integer, intent(in) :: team, count, datatype, op, comm
      type(*), dimension(*), intent(in) :: sendbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_reduce_scatter_block(team, sendbuf, recvbuf, recvcount, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      integer, intent(in) :: team, recvcount, datatype, op, comm
      type(*), dimension(*), intent(in) :: sendbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_allgather(team, sendbuf, recvbuf, count, datatype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      integer, intent(in) :: team, count, datatype, comm
      type(*), dimension(*), intent(in) :: sendbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_bcast(team, buffer, count, datatype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      integer, intent(in) :: team, count, datatype, root, comm
      type(*), dimension(*) :: buffer
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_barrier(team, comm, ierror)
      integer, intent(in) :: team, comm
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_for(team, begin, end, grain, function, data, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: data
      integer, intent(in) :: team
      integer(MPI_COUNT_KIND), intent(in) :: begin, end, grain
      procedure(MPIX_Helper_for_function) :: function
      type(*), dimension(*) :: data
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_type_create(pack, unpack, bytes, data, type, ierror)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: data
      procedure(MPIX_Helper_pack_function) :: pack
      procedure(MPIX_Helper_unpack_function) :: unpack
      integer(MPI_COUNT_KIND), intent(in) :: bytes
      type(*), dimension(*) :: data
      integer, intent(out) :: type, ierror
    end subroutine

    subroutine MPIX_Helper_alloc(size, info, comm, baseptr, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: info, comm
      type(c_ptr), intent(out) :: baseptr
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Helper_free(base, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      type(*), dimension(*) :: base
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Group_comm_create(comm, group, tag, newcomm, ierror)
      integer, intent(in) :: comm, group, tag
      integer, intent(out) :: newcomm, ierror
    end subroutine

    subroutine MPIX_Group_comm_create_info(comm, group, tag, info, newcomm, ierror)
      integer, intent(in) :: comm, group, tag, info
      integer, intent(out) :: newcomm, ierror
    end subroutine

    subroutine MPIX_Sysgroup_from_comm(comm, info, group, ierror)
      integer, intent(in) :: comm, info
      integer, intent(out) :: group, ierror
    end subroutine

    subroutine MPIX_Sysgroup_enroll(parent, participate, info, group, ierror)
      integer, intent(in) :: parent, info
      logical, intent(in) :: participate
      integer, intent(out) :: group, ierror
    end subroutine

    subroutine MPIX_Sysgroup_split(parent, color, info, group, ierror)
      integer, intent(in) :: parent, color, info
      integer, intent(out) :: group, ierror
    end subroutine

    subroutine MPIX_Sysgroup_free(group, ierror)
      integer, intent(inout) :: group
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_rank(group, rank, ierror)
      integer, intent(in) :: group
      integer, intent(out) :: rank, ierror
    end subroutine

    subroutine MPIX_Sysgroup_size(group, size, ierror)
      integer, intent(in) :: group
      integer, intent(out) :: size, ierror
    end subroutine

    subroutine MPIX_Sysgroup_depth(group, depth, ierror)
      integer, intent(in) :: group
      integer, intent(out) :: depth, ierror
    end subroutine

    subroutine MPIX_Sysgroup_parent(group, rank, ierror)
      integer, intent(in) :: group
      integer, intent(out) :: rank, ierror
    end subroutine

    subroutine MPIX_Sysgroup_children(group, most, count, ranks, ierror)
      integer, intent(in) :: group, most
      integer, intent(out) :: count, ranks(*), ierror
    end subroutine

    subroutine MPIX_Sysgroup_to_comm(group, comm, ierror)
      integer, intent(in) :: group
      integer, intent(out) :: comm, ierror
    end subroutine

    subroutine MPIX_Sysgroup_barrier(group, ierror)
      integer, intent(in) :: group
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_bcast(buffer, count, datatype, root, group, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: count, datatype, root, group
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_reduce(sendbuf, recvbuf, count, datatype, op, root, group, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*), intent(in) :: sendbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count, datatype, op, root, group
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_allreduce(sendbuf, recvbuf, count, datatype, op, group, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*), intent(in) :: sendbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count, datatype, op, group
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, group, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*), intent(in) :: sendbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: sendcount, sendtype, recvcount, recvtype, root, group
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, group, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*), intent(in) :: sendbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: sendcount, sendtype, recvcount, recvtype, group
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_scan(sendbuf, recvbuf, count, datatype, op, group, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*), intent(in) :: sendbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count, datatype, op, group
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_send(buf, count, datatype, dest, tag, group, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*), intent(in) :: buf
      integer, intent(in) :: count, datatype, dest, tag, group
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_recv(buf, count, datatype, source, tag, group, status, ierror)
      import :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count, datatype, source, tag, group
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPIX_Sysgroup_ibarrier(group, request, ierror)
      integer, intent(in) :: group
      integer, intent(out) :: request, ierror
    end subroutine

    subroutine MPIX_Sysgroup_ibcast(buffer, count, datatype, root, group, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      type(*), dimension(*), asynchronous :: buffer
      integer, intent(in) :: count, datatype, root, group
      integer, intent(out) :: request, ierror
    end subroutine

    subroutine MPIX_Sysgroup_ireduce(sendbuf, recvbuf, count, datatype, op, root, group, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*), intent(in), asynchronous :: sendbuf
      type(*), dimension(*), asynchronous :: recvbuf
      integer, intent(in) :: count, datatype, op, root, group
      integer, intent(out) :: request, ierror
    end subroutine

    subroutine MPIX_Sysgroup_iallreduce(sendbuf, recvbuf, count, datatype, op, group, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*), intent(in), asynchronous :: sendbuf
      type(*), dimension(*), asynchronous :: recvbuf
      integer, intent(in) :: count, datatype, op, group
      integer, intent(out) :: request, ierror
    end subroutine
  end interface
end module
