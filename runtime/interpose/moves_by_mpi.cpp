// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Non-blocking and persistent collectives that move data. MPI does them. They are here and not in counted.S
// because calls that fail, and persistent requests that are freed, must not stay counted.

#include "interpose/entry.hpp"

using namespace helper;
using namespace helper::interpose;

extern "C" {

int MPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
               MPI_Request* request) {
  return Entry<PMPI_Ibcast>::call(buffer, count, datatype, root, comm, request);
}

int MPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Igather>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                                   request);
}

int MPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Iscatter>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                                    request);
}

int MPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Iallgather>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                      request);
}

int MPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int* recvcounts, const int* displs, MPI_Datatype recvtype, MPI_Comm comm,
                    MPI_Request* request) {
  return Entry<PMPI_Iallgatherv>::call(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                       comm, request);
}

int MPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ialltoall>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                     request);
}

int MPI_Ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ineighbor_allgather>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                               comm, request);
}

int MPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             const int* recvcounts, const int* displs, MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Request* request) {
  return Entry<PMPI_Ineighbor_allgatherv>::call(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                                recvtype, comm, request);
}

int MPI_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ineighbor_alltoall>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                              comm, request);
}

int MPI_Ineighbor_alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls,
                            MPI_Datatype sendtype, void* recvbuf, const int* recvcounts, const int* rdispls,
                            MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ineighbor_alltoallv>::call(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                               rdispls, recvtype, comm, request);
}

int MPI_Ineighbor_alltoallw(const void* sendbuf, const int* sendcounts, const MPI_Aint* sdispls,
                            const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts,
                            const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm,
                            MPI_Request* request) {
  return Entry<PMPI_Ineighbor_alltoallw>::call(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                               rdispls, recvtypes, comm, request);
}

#if MPI_VERSION >= 4 || defined(MPI_HELPER_MPI_4_BUT_COUNTS)

int MPI_Bcast_init(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info,
                   MPI_Request* request) {
  return Entry<PMPI_Bcast_init>::call(buffer, count, datatype, root, comm, info, request);
}

int MPI_Gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Gather_init>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                                       info, request);
}

int MPI_Scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                     MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Scatter_init>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                                        comm, info, request);
}

int MPI_Allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                       MPI_Request* request) {
  return Entry<PMPI_Allgather_init>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                          info, request);
}

int MPI_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        const int* recvcounts, const int* displs, MPI_Datatype recvtype, MPI_Comm comm,
                        MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Allgatherv_init>::call(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                           recvtype, comm, info, request);
}

int MPI_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Alltoall_init>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                         info, request);
}

int MPI_Neighbor_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                MPI_Request* request) {
  return Entry<PMPI_Neighbor_allgather_init>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                                   comm, info, request);
}

int MPI_Neighbor_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 const int* recvcounts, const int* displs, MPI_Datatype recvtype,
                                 MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Neighbor_allgatherv_init>::call(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                                    recvtype, comm, info, request);
}

int MPI_Neighbor_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                               int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                               MPI_Request* request) {
  return Entry<PMPI_Neighbor_alltoall_init>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                                  comm, info, request);
}

int MPI_Neighbor_alltoallv_init(const void* sendbuf, const int* sendcounts, const int* sdispls,
                                MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
                                const int* rdispls, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                MPI_Request* request) {
  return Entry<PMPI_Neighbor_alltoallv_init>::call(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                                   recvcounts, rdispls, recvtype, comm, info, request);
}

int MPI_Neighbor_alltoallw_init(const void* sendbuf, const int* sendcounts, const MPI_Aint* sdispls,
                                const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts,
                                const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm,
                                MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Neighbor_alltoallw_init>::call(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                                   recvcounts, rdispls, recvtypes, comm, info, request);
}

#endif

#if MPI_VERSION >= 4 // with large counts

int MPI_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                 MPI_Request* request) {
  return Entry<PMPI_Ibcast_c>::call(buffer, count, datatype, root, comm, request);
}

int MPI_Igather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Igather_c>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                                     request);
}

int MPI_Iscatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   MPI_Request* request) {
  return Entry<PMPI_Iscatter_c>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                                      request);
}

int MPI_Iallgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Iallgather_c>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                        request);
}

int MPI_Iallgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const MPI_Count* recvcounts, const MPI_Aint* displs, MPI_Datatype recvtype,
                      MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Iallgatherv_c>::call(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                         comm, request);
}

int MPI_Ialltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ialltoall_c>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                       request);
}

int MPI_Ineighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                              MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                              MPI_Request* request) {
  return Entry<PMPI_Ineighbor_allgather_c>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                                 comm, request);
}

int MPI_Ineighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               const MPI_Count* recvcounts, const MPI_Aint* displs, MPI_Datatype recvtype,
                               MPI_Comm comm, MPI_Request* request) {
  return Entry<PMPI_Ineighbor_allgatherv_c>::call(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                                  recvtype, comm, request);
}

int MPI_Ineighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                             MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Request* request) {
  return Entry<PMPI_Ineighbor_alltoall_c>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                                comm, request);
}

int MPI_Ineighbor_alltoallv_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                              MPI_Datatype sendtype, void* recvbuf, const MPI_Count* recvcounts,
                              const MPI_Aint* rdispls, MPI_Datatype recvtype, MPI_Comm comm,
                              MPI_Request* request) {
  return Entry<PMPI_Ineighbor_alltoallv_c>::call(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                                 rdispls, recvtype, comm, request);
}

int MPI_Ineighbor_alltoallw_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                              const MPI_Datatype* sendtypes, void* recvbuf, const MPI_Count* recvcounts,
                              const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm,
                              MPI_Request* request) {
  return Entry<PMPI_Ineighbor_alltoallw_c>::call(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                                 rdispls, recvtypes, comm, request);
}

int MPI_Bcast_init_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                     MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Bcast_init_c>::call(buffer, count, datatype, root, comm, info, request);
}

int MPI_Gather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                      MPI_Request* request) {
  return Entry<PMPI_Gather_init_c>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                                         comm, info, request);
}

int MPI_Scatter_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                       MPI_Request* request) {
  return Entry<PMPI_Scatter_init_c>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                                          comm, info, request);
}

int MPI_Allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                         MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request) {
  return Entry<PMPI_Allgather_init_c>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                            info, request);
}

int MPI_Allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                          const MPI_Count* recvcounts, const MPI_Aint* displs, MPI_Datatype recvtype,
                          MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Allgatherv_init_c>::call(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                             recvtype, comm, info, request);
}

int MPI_Alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                        MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                        MPI_Request* request) {
  return Entry<PMPI_Alltoall_init_c>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                           info, request);
}

int MPI_Neighbor_allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                  MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Neighbor_allgather_init_c>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                     recvtype, comm, info, request);
}

int MPI_Neighbor_allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, const MPI_Count* recvcounts, const MPI_Aint* displs,
                                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                   MPI_Request* request) {
  return Entry<PMPI_Neighbor_allgatherv_init_c>::call(sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                                      displs, recvtype, comm, info, request);
}

int MPI_Neighbor_alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                 MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Neighbor_alltoall_init_c>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                    recvtype, comm, info, request);
}

int MPI_Neighbor_alltoallv_init_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                                  MPI_Datatype sendtype, void* recvbuf, const MPI_Count* recvcounts,
                                  const MPI_Aint* rdispls, MPI_Datatype recvtype, MPI_Comm comm,
                                  MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Neighbor_alltoallv_init_c>::call(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                                     recvcounts, rdispls, recvtype, comm, info, request);
}

int MPI_Neighbor_alltoallw_init_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                                  const MPI_Datatype* sendtypes, void* recvbuf, const MPI_Count* recvcounts,
                                  const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm,
                                  MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Neighbor_alltoallw_init_c>::call(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                                     recvcounts, rdispls, recvtypes, comm, info, request);
}

#endif

} // extern "C"
