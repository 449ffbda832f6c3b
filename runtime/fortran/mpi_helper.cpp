// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The functions of mpi_helper.h under the names that Fortran uses: with mpi_helper.f90, with
// mpi_helper_f08.f90, and without a module.

#include "mpi_helper.h"

#include "fortran/by_reference.hpp"

using namespace helper::fortran;

extern "C" {

void mpix_helper_version_(int* major, int* minor, int* patch, MPI_Fint* ierror) {
  ByReference<MPIX_Helper_version>::call(major, minor, patch, ierror);
}

void mpi_helper_team_create_(const int* team_id, const int* team_size, MPI_Helper_team* team,
                             MPI_Fint* ierror) {
  ByReference<MPI_Helper_team_create>::call(team_id, team_size, team, ierror);
}

void mpix_helper_team_create_info_(const int* team_id, const int* team_size, const MPI_Fint* info,
                                   MPI_Helper_team* team, MPI_Fint* ierror) {
  ByReference<MPIX_Helper_team_create_info>::call(team_id, team_size, info, team, ierror);
}

void mpi_helper_team_free_(MPI_Helper_team* team, MPI_Fint* ierror) {
  ByReference<MPI_Helper_team_free>::call(team, ierror);
}

void mpi_helper_join_(const MPI_Helper_team* team, MPI_Fint* ierror) {
  ByReference<MPI_Helper_join>::call(team, ierror);
}

void mpi_helper_leave_(const MPI_Helper_team* team, MPI_Fint* ierror) {
  ByReference<MPI_Helper_leave>::call(team, ierror);
}

void mpi_helper_fence_(const MPI_Helper_team* team, MPI_Fint* ierror) {
  ByReference<MPI_Helper_fence>::call(team, ierror);
}

void mpix_helper_allreduce_(const MPI_Helper_team* team, const void* sendbuf, void* recvbuf, const int* count,
                            const MPI_Fint* datatype, const MPI_Fint* op, const MPI_Fint* comm,
                            MPI_Fint* ierror) {
  ByReference<MPIX_Helper_allreduce>::call(team, sendbuf, recvbuf, count, datatype, op, comm, ierror);
}

void mpix_helper_reduce_scatter_block_(const MPI_Helper_team* team, const void* sendbuf, void* recvbuf,
                                       const int* recvcount, const MPI_Fint* datatype, const MPI_Fint* op,
                                       const MPI_Fint* comm, MPI_Fint* ierror) {
  ByReference<MPIX_Helper_reduce_scatter_block>::call(team, sendbuf, recvbuf, recvcount, datatype, op, comm,
                                                      ierror);
}

void mpix_helper_allgather_(const MPI_Helper_team* team, const void* sendbuf, void* recvbuf, const int* count,
                            const MPI_Fint* datatype, const MPI_Fint* comm, MPI_Fint* ierror) {
  ByReference<MPIX_Helper_allgather>::call(team, sendbuf, recvbuf, count, datatype, comm, ierror);
}

void mpix_helper_bcast_(const MPI_Helper_team* team, void* buffer, const int* count, const MPI_Fint* datatype,
                        const int* root, const MPI_Fint* comm, MPI_Fint* ierror) {
  ByReference<MPIX_Helper_bcast>::call(team, buffer, count, datatype, root, comm, ierror);
}

void mpix_helper_barrier_(const MPI_Helper_team* team, const MPI_Fint* comm, MPI_Fint* ierror) {
  ByReference<MPIX_Helper_barrier>::call(team, comm, ierror);
}

void mpix_helper_for_(const MPI_Helper_team* team, const MPI_Count* begin, const MPI_Count* end,
                      const MPI_Count* grain, MPIX_Helper_for_function* function, void* data,
                      MPI_Fint* ierror) {
  ByReference<MPIX_Helper_for>::call(team, begin, end, grain, function, data, ierror);
}

void mpix_helper_type_create_(MPIX_Helper_pack_function* pack, MPIX_Helper_unpack_function* unpack,
                              const MPI_Count* bytes, void* data, MPI_Fint* type, MPI_Fint* ierror) {
  ByReference<MPIX_Helper_type_create>::call(pack, unpack, bytes, data, type, ierror);
}

void mpix_helper_alloc_(const MPI_Aint* size, const MPI_Fint* info, const MPI_Fint* comm, void* baseptr,
                        MPI_Fint* ierror) {
  ByReference<MPIX_Helper_alloc>::call(size, info, comm, baseptr, ierror);
}

void mpix_helper_free_(void* base, MPI_Fint* ierror) {
  ByReference<MPIX_Helper_free>::call(base, ierror);
}

void mpix_group_comm_create_(const MPI_Fint* comm, const MPI_Fint* group, const int* tag, MPI_Fint* newcomm,
                             MPI_Fint* ierror) {
  ByReference<MPIX_Group_comm_create>::call(comm, group, tag, newcomm, ierror);
}

void mpix_group_comm_create_info_(const MPI_Fint* comm, const MPI_Fint* group, const int* tag,
                                  const MPI_Fint* info, MPI_Fint* newcomm, MPI_Fint* ierror) {
  ByReference<MPIX_Group_comm_create_info>::call(comm, group, tag, info, newcomm, ierror);
}

void mpix_sysgroup_from_comm_(const MPI_Fint* comm, const MPI_Fint* info, MPIX_Sysgroup* group,
                              MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_from_comm>::call(comm, info, group, ierror);
}

void mpix_sysgroup_enroll_(const MPIX_Sysgroup* parent, const int* participate, const MPI_Fint* info,
                           MPIX_Sysgroup* group, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_enroll>::call(parent, participate, info, group, ierror);
}

void mpix_sysgroup_split_(const MPIX_Sysgroup* parent, const int* color, const MPI_Fint* info,
                          MPIX_Sysgroup* group, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_split>::call(parent, color, info, group, ierror);
}

void mpix_sysgroup_free_(MPIX_Sysgroup* group, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_free>::call(group, ierror);
}

void mpix_sysgroup_rank_(const MPIX_Sysgroup* group, int* rank, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_rank>::call(group, rank, ierror);
}

void mpix_sysgroup_size_(const MPIX_Sysgroup* group, int* size, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_size>::call(group, size, ierror);
}

void mpix_sysgroup_depth_(const MPIX_Sysgroup* group, int* depth, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_depth>::call(group, depth, ierror);
}

void mpix_sysgroup_parent_(const MPIX_Sysgroup* group, int* rank, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_parent>::call(group, rank, ierror);
}

void mpix_sysgroup_children_(const MPIX_Sysgroup* group, const int* most, int* count, int* ranks,
                             MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_children>::call(group, most, count, ranks, ierror);
}

void mpix_sysgroup_to_comm_(const MPIX_Sysgroup* group, MPI_Fint* comm, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_to_comm>::call(group, comm, ierror);
}

void mpix_sysgroup_barrier_(const MPIX_Sysgroup* group, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_barrier>::call(group, ierror);
}

void mpix_sysgroup_bcast_(void* buffer, const int* count, const MPI_Fint* datatype, const int* root,
                          const MPIX_Sysgroup* group, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_bcast>::call(buffer, count, datatype, root, group, ierror);
}

void mpix_sysgroup_reduce_(const void* sendbuf, void* recvbuf, const int* count, const MPI_Fint* datatype,
                           const MPI_Fint* op, const int* root, const MPIX_Sysgroup* group,
                           MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_reduce>::call(sendbuf, recvbuf, count, datatype, op, root, group, ierror);
}

void mpix_sysgroup_allreduce_(const void* sendbuf, void* recvbuf, const int* count, const MPI_Fint* datatype,
                              const MPI_Fint* op, const MPIX_Sysgroup* group, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_allreduce>::call(sendbuf, recvbuf, count, datatype, op, group, ierror);
}

void mpix_sysgroup_gather_(const void* sendbuf, const int* sendcount, const MPI_Fint* sendtype, void* recvbuf,
                           const int* recvcount, const MPI_Fint* recvtype, const int* root,
                           const MPIX_Sysgroup* group, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_gather>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                                          group, ierror);
}

void mpix_sysgroup_allgather_(const void* sendbuf, const int* sendcount, const MPI_Fint* sendtype,
                              void* recvbuf, const int* recvcount, const MPI_Fint* recvtype,
                              const MPIX_Sysgroup* group, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_allgather>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                             group, ierror);
}

void mpix_sysgroup_scan_(const void* sendbuf, void* recvbuf, const int* count, const MPI_Fint* datatype,
                         const MPI_Fint* op, const MPIX_Sysgroup* group, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_scan>::call(sendbuf, recvbuf, count, datatype, op, group, ierror);
}

void mpix_sysgroup_send_(const void* buf, const int* count, const MPI_Fint* datatype, const int* dest,
                         const int* tag, const MPIX_Sysgroup* group, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_send>::call(buf, count, datatype, dest, tag, group, ierror);
}

void mpix_sysgroup_recv_(void* buf, const int* count, const MPI_Fint* datatype, const int* source,
                         const int* tag, const MPIX_Sysgroup* group, MPI_Fint* status, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_recv>::call(buf, count, datatype, source, tag, group, status, ierror);
}

void mpix_sysgroup_ibarrier_(const MPIX_Sysgroup* group, MPI_Fint* request, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_ibarrier>::call(group, request, ierror);
}

void mpix_sysgroup_ibcast_(void* buffer, const int* count, const MPI_Fint* datatype, const int* root,
                           const MPIX_Sysgroup* group, MPI_Fint* request, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_ibcast>::call(buffer, count, datatype, root, group, request, ierror);
}

void mpix_sysgroup_ireduce_(const void* sendbuf, void* recvbuf, const int* count, const MPI_Fint* datatype,
                            const MPI_Fint* op, const int* root, const MPIX_Sysgroup* group,
                            MPI_Fint* request, MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_ireduce>::call(sendbuf, recvbuf, count, datatype, op, root, group, request,
                                           ierror);
}

void mpix_sysgroup_iallreduce_(const void* sendbuf, void* recvbuf, const int* count, const MPI_Fint* datatype,
                               const MPI_Fint* op, const MPIX_Sysgroup* group, MPI_Fint* request,
                               MPI_Fint* ierror) {
  ByReference<MPIX_Sysgroup_iallreduce>::call(sendbuf, recvbuf, count, datatype, op, group, request, ierror);
}

} // extern "C"
