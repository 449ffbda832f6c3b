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

#if MPI_VERSION >= 4 // with large counts

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

#endif

} // extern "C"
