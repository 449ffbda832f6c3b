// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Blocking sends and receives.

#include "interpose/entry.hpp"
#include "interpose/lend.hpp"

using namespace helper;
using namespace helper::interpose;

extern "C" {

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return Entry<PMPI_Send, lend<PMPI_Isend>>::call(buf, count, datatype, dest, tag, comm);
}

int MPI_Send_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return Entry<PMPI_Send_c, lend<PMPI_Isend_c>>::call(buf, count, datatype, dest, tag, comm);
}

int MPI_Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return Entry<PMPI_Bsend, lend<PMPI_Ibsend>>::call(buf, count, datatype, dest, tag, comm);
}

int MPI_Bsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return Entry<PMPI_Bsend_c, lend<PMPI_Ibsend_c>>::call(buf, count, datatype, dest, tag, comm);
}

int MPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return Entry<PMPI_Ssend, lend<PMPI_Issend>>::call(buf, count, datatype, dest, tag, comm);
}

int MPI_Ssend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return Entry<PMPI_Ssend_c, lend<PMPI_Issend_c>>::call(buf, count, datatype, dest, tag, comm);
}

int MPI_Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return Entry<PMPI_Rsend, lend<PMPI_Irsend>>::call(buf, count, datatype, dest, tag, comm);
}

int MPI_Rsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return Entry<PMPI_Rsend_c, lend<PMPI_Irsend_c>>::call(buf, count, datatype, dest, tag, comm);
}

int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             MPI_Status* status) {
  return Entry<PMPI_Recv, lend_with_status<PMPI_Irecv>>::call(buf, count, datatype, source, tag, comm,
                                                              status);
}

int MPI_Recv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
               MPI_Status* status) {
  return Entry<PMPI_Recv_c, lend_with_status<PMPI_Irecv_c>>::call(buf, count, datatype, source, tag, comm,
                                                                  status);
}

int MPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return Entry<PMPI_Mrecv, lend_with_status<PMPI_Imrecv>>::call(buf, count, datatype, message, status);
}

int MPI_Mrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return Entry<PMPI_Mrecv_c, lend_with_status<PMPI_Imrecv_c>>::call(buf, count, datatype, message, status);
}

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                 MPI_Status* status) {
  return Entry<PMPI_Sendrecv, lend_with_status<PMPI_Isendrecv>>::call(sendbuf, sendcount, sendtype, dest,
                                                                      sendtag, recvbuf, recvcount, recvtype,
                                                                      source, recvtag, comm, status);
}

int MPI_Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
                   MPI_Comm comm, MPI_Status* status) {
  return Entry<PMPI_Sendrecv_c, lend_with_status<PMPI_Isendrecv_c>>::call(
      sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm,
      status);
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                         int recvtag, MPI_Comm comm, MPI_Status* status) {
  return Entry<PMPI_Sendrecv_replace, lend_with_status<PMPI_Isendrecv_replace>>::call(
      buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
}

int MPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                           int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return Entry<PMPI_Sendrecv_replace_c, lend_with_status<PMPI_Isendrecv_replace_c>>::call(
      buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
}

} // extern "C"
