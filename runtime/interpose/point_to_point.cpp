// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Blocking sends and receives.

#include "interpose/entry.hpp"
#include "interpose/lend.hpp"

using namespace helper;
using namespace helper::interpose;

namespace {

/// MPI_Sendrecv as a receive and a send: MPICH 4.0.2's own non-blocking form hangs or crashes with
/// MPI_PROC_NULL.
template <auto Irecv, auto Isend>
struct SendAndReceive {
  template <class Count>
  std::optional<int> operator()(team::Member& member, const void* out, Count out_count, MPI_Datatype out_type,
                                int destination, int out_tag, void* in, Count in_count, MPI_Datatype in_type,
                                int source, int in_tag, MPI_Comm comm, MPI_Status* status) const {
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Request send = MPI_REQUEST_NULL;
    int code = Irecv(in, in_count, in_type, source, in_tag, comm, &receive);
    if (code != MPI_SUCCESS) return code;
    code = Isend(out, out_count, out_type, destination, out_tag, comm, &send);
    if (code != MPI_SUCCESS) {
      PMPI_Cancel(&receive);
      PMPI_Request_free(&receive);
      return code;
    }
    const int received = wait_until(member, "MPI_Sendrecv", comm,
                                    [&](int* flag) { return PMPI_Test(&receive, flag, status); });
    const int sent = wait_until(member, "MPI_Sendrecv", comm,
                                [&](int* flag) { return PMPI_Test(&send, flag, MPI_STATUS_IGNORE); });
    return received != MPI_SUCCESS ? received : sent;
  }
};

/// MPI_Sendrecv_replace; with MPI_PROC_NULL, where nothing is exchanged, as SendAndReceive for the same
/// reason.
template <auto Irecv, auto Isend, auto Isendrecv_replace>
struct Replace {
  template <class Count>
  std::optional<int> operator()(team::Member& member, void* buffer, Count count, MPI_Datatype type,
                                int destination, int out_tag, int source, int in_tag, MPI_Comm comm,
                                MPI_Status* status) const {
    if (destination == MPI_PROC_NULL || source == MPI_PROC_NULL) {
      return SendAndReceive<Irecv, Isend>{}(member, buffer, count, type, destination, out_tag, buffer, count,
                                            type, source, in_tag, comm, status);
    }
    return lend_with_status<Isendrecv_replace>(member, buffer, count, type, destination, out_tag, source,
                                               in_tag, comm, status);
  }
};

} // namespace

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
  return Entry<PMPI_Sendrecv, SendAndReceive<PMPI_Irecv, PMPI_Isend>{}>::call(
      sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm,
      status);
}

int MPI_Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
                   MPI_Comm comm, MPI_Status* status) {
  return Entry<PMPI_Sendrecv_c, SendAndReceive<PMPI_Irecv_c, PMPI_Isend_c>{}>::call(
      sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm,
      status);
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                         int recvtag, MPI_Comm comm, MPI_Status* status) {
  return Entry<PMPI_Sendrecv_replace, Replace<PMPI_Irecv, PMPI_Isend, PMPI_Isendrecv_replace>{}>::call(
      buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
}

int MPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                           int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return Entry<PMPI_Sendrecv_replace_c,
               Replace<PMPI_Irecv_c, PMPI_Isend_c, PMPI_Isendrecv_replace_c>{}>::call(buf, count, datatype,
                                                                                      dest, sendtag, source,
                                                                                      recvtag, comm, status);
}

} // extern "C"
