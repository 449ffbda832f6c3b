// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Non-blocking collectives are begun by the library where the team can carry them, and otherwise by MPI.
// Those that it never carries are in counted.S.

#include "collective/nonblocking.hpp"
#include "interpose/entry.hpp"

using namespace helper;
using namespace helper::interpose;
using collective::started;

extern "C" {

int MPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
               MPI_Request* request) {
  return Entry<PMPI_Ibcast, started<collective::ibcast>>::call(buffer, count, datatype, root, comm, request);
}

int MPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Iallreduce, started<collective::iallreduce>>::call(sendbuf, recvbuf, count, datatype, op,
                                                                       comm, request);
}

int MPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ireduce, started<collective::ireduce>>::call(sendbuf, recvbuf, count, datatype, op, root,
                                                                 comm, request);
}

int MPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int* recvcounts, MPI_Datatype datatype,
                        MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ireduce_scatter, started<collective::ireduce_scatter>>::call(sendbuf, recvbuf, recvcounts,
                                                                                 datatype, op, comm, request);
}

int MPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ireduce_scatter_block, started<collective::ireduce_scatter_block>>::call(
      sendbuf, recvbuf, recvcount, datatype, op, comm, request);
}

int MPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
              MPI_Request* request) {
  return Entry<PMPI_Iscan, started<collective::iscan>>::call(sendbuf, recvbuf, count, datatype, op, comm,
                                                             request);
}

int MPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Iexscan, started<collective::iexscan>>::call(sendbuf, recvbuf, count, datatype, op, comm,
                                                                 request);
}

int MPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Igather, started<collective::igather>>::call(sendbuf, sendcount, sendtype, recvbuf,
                                                                 recvcount, recvtype, root, comm, request);
}

int MPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Iscatter, started<collective::iscatter>>::call(sendbuf, sendcount, sendtype, recvbuf,
                                                                   recvcount, recvtype, root, comm, request);
}

int MPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Iallgather, started<collective::iallgather>>::call(sendbuf, sendcount, sendtype, recvbuf,
                                                                       recvcount, recvtype, comm, request);
}

int MPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int* recvcounts, const int* displs, MPI_Datatype recvtype, MPI_Comm comm,
                    MPI_Request* request) {
  return Entry<PMPI_Iallgatherv, started<collective::iallgatherv>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
}

int MPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ialltoall, started<collective::ialltoall>>::call(sendbuf, sendcount, sendtype, recvbuf,
                                                                     recvcount, recvtype, comm, request);
}

int MPI_Ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ineighbor_allgather, started<collective::ineighbor_allgather>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}

int MPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             const int* recvcounts, const int* displs, MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Request* request) {
  return Entry<PMPI_Ineighbor_allgatherv, started<collective::ineighbor_allgatherv>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
}

int MPI_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ineighbor_alltoall, started<collective::ineighbor_alltoall>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}

int MPI_Ineighbor_alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls,
                            MPI_Datatype sendtype, void* recvbuf, const int* recvcounts, const int* rdispls,
                            MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ineighbor_alltoallv, started<collective::ineighbor_alltoallv>>::call(
      sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
}

int MPI_Ineighbor_alltoallw(const void* sendbuf, const int* sendcounts, const MPI_Aint* sdispls,
                            const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts,
                            const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm,
                            MPI_Request* request) {
  return Entry<PMPI_Ineighbor_alltoallw, started<collective::ineighbor_alltoallw>>::call(
      sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request);
}

#if MPI_VERSION >= 4 // with large counts

int MPI_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                 MPI_Request* request) {
  return Entry<PMPI_Ibcast_c, started<collective::ibcast>>::call(buffer, count, datatype, root, comm,
                                                                 request);
}

int MPI_Iallreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                     MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Iallreduce_c, started<collective::iallreduce>>::call(sendbuf, recvbuf, count, datatype,
                                                                         op, comm, request);
}

int MPI_Ireduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                  int root, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ireduce_c, started<collective::ireduce>>::call(sendbuf, recvbuf, count, datatype, op,
                                                                   root, comm, request);
}

int MPI_Ireduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count* recvcounts,
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ireduce_scatter_c, started<collective::ireduce_scatter>>::call(
      sendbuf, recvbuf, recvcounts, datatype, op, comm, request);
}

int MPI_Ireduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ireduce_scatter_block_c, started<collective::ireduce_scatter_block>>::call(
      sendbuf, recvbuf, recvcount, datatype, op, comm, request);
}

int MPI_Iscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Iscan_c, started<collective::iscan>>::call(sendbuf, recvbuf, count, datatype, op, comm,
                                                               request);
}

int MPI_Iexscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Iexscan_c, started<collective::iexscan>>::call(sendbuf, recvbuf, count, datatype, op,
                                                                   comm, request);
}

int MPI_Igather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Igather_c, started<collective::igather>>::call(sendbuf, sendcount, sendtype, recvbuf,
                                                                   recvcount, recvtype, root, comm, request);
}

int MPI_Iscatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   MPI_Request* request) {
  return Entry<PMPI_Iscatter_c, started<collective::iscatter>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
}

int MPI_Iallgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Iallgather_c, started<collective::iallgather>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}

int MPI_Iallgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const MPI_Count* recvcounts, const MPI_Aint* displs, MPI_Datatype recvtype,
                      MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Iallgatherv_c, started<collective::iallgatherv>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
}

int MPI_Ialltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ialltoall_c, started<collective::ialltoall>>::call(sendbuf, sendcount, sendtype, recvbuf,
                                                                       recvcount, recvtype, comm, request);
}

int MPI_Ineighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                              MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                              MPI_Request* request) {
  return Entry<PMPI_Ineighbor_allgather_c, started<collective::ineighbor_allgather>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}

int MPI_Ineighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               const MPI_Count* recvcounts, const MPI_Aint* displs, MPI_Datatype recvtype,
                               MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ineighbor_allgatherv_c, started<collective::ineighbor_allgatherv>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
}

int MPI_Ineighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                             MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Request* request) {
  return Entry<PMPI_Ineighbor_alltoall_c, started<collective::ineighbor_alltoall>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}

int MPI_Ineighbor_alltoallv_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                              MPI_Datatype sendtype, void* recvbuf, const MPI_Count* recvcounts,
                              const MPI_Aint* rdispls, MPI_Datatype recvtype, MPI_Comm comm,
                              MPI_Request* request) {
  return Entry<PMPI_Ineighbor_alltoallv_c, started<collective::ineighbor_alltoallv>>::call(
      sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
}

int MPI_Ineighbor_alltoallw_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                              const MPI_Datatype* sendtypes, void* recvbuf, const MPI_Count* recvcounts,
                              const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm,
                              MPI_Request* request) {
  return Entry<PMPI_Ineighbor_alltoallw_c, started<collective::ineighbor_alltoallw>>::call(
      sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request);
}

#endif

} // extern "C"
