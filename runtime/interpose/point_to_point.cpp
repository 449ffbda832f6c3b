// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// These are the sends and receives.

#include "interpose/entry.hpp"
#include "interpose/lend.hpp"
#include "message/message.hpp"
#include "ranks/arguments.hpp"

using namespace helper;
using namespace helper::interpose;

// Receives from MPI_PROC_NULL go to blocking functions, which return at once: quirk
// test_leaves_status.
namespace {

/// Carries out a blocking send, announced if that pays; `Start` is the MPI function that starts a send of its
/// mode.
template <auto Start>
constexpr auto announce = [](team::Member& member, auto... arguments) {
  return message::send(member, Start, name_of<Start>, arguments...);
};

/// Does the same without blocking.
template <auto Start>
constexpr auto start_announced =
    [](team::Member& member, auto... arguments) { return message::isend(member, Start, arguments...); };

template <auto Irecv>
constexpr auto receive = [](team::Member& member, void* buffer, auto count, MPI_Datatype type, int source,
                            int tag, MPI_Comm comm, MPI_Status* status) -> std::optional<int> {
  if (source == MPI_PROC_NULL || !ranks::valid_status(status)) return std::nullopt;
  return lend_with_status<Irecv>(member, buffer, count, type, source, tag, comm, status);
};

template <auto Imrecv>
constexpr auto receive_matched = [](team::Member& member, void* buffer, auto count, MPI_Datatype type,
                                    MPI_Message* message, MPI_Status* status) -> std::optional<int> {
  if (message == nullptr || *message == MPI_MESSAGE_NO_PROC || !ranks::valid_status(status))
    return std::nullopt;
  return lend_with_status<Imrecv>(member, buffer, count, type, message, status);
};

} // namespace

extern "C" {

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return Entry<PMPI_Send, announce<PMPI_Isend>, lend<PMPI_Isend>>::call(buf, count, datatype, dest, tag,
                                                                        comm);
}

int MPI_Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return Entry<PMPI_Bsend, lend<PMPI_Ibsend>>::call(buf, count, datatype, dest, tag, comm);
}

int MPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return Entry<PMPI_Ssend, announce<PMPI_Issend>, lend<PMPI_Issend>>::call(buf, count, datatype, dest, tag,
                                                                           comm);
}

int MPI_Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return Entry<PMPI_Rsend, announce<PMPI_Irsend>, lend<PMPI_Irsend>>::call(buf, count, datatype, dest, tag,
                                                                           comm);
}

int MPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return Entry<PMPI_Isend, start_announced<PMPI_Isend>>::call(buf, count, datatype, dest, tag, comm, request);
}

int MPI_Issend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return Entry<PMPI_Issend, start_announced<PMPI_Issend>>::call(buf, count, datatype, dest, tag, comm,
                                                                request);
}

int MPI_Irsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return Entry<PMPI_Irsend, start_announced<PMPI_Irsend>>::call(buf, count, datatype, dest, tag, comm,
                                                                request);
}

int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             MPI_Status* status) {
  return ReceivingEntry<PMPI_Recv, message::recv, receive<PMPI_Irecv>>::call(buf, count, datatype, source,
                                                                             tag, comm, status);
}

int MPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return ReceivingEntry<PMPI_Irecv, message::irecv>::call(buf, count, datatype, source, tag, comm, request);
}

int MPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return ReceivingEntry<PMPI_Mrecv, message::mrecv, receive_matched<PMPI_Imrecv>>::call(buf, count, datatype,
                                                                                        message, status);
}

int MPI_Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
  return ReceivingEntry<PMPI_Imrecv, message::imrecv>::call(buf, count, datatype, message, request);
}

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                 MPI_Status* status) {
  return ReceivingEntry<PMPI_Sendrecv, message::sendrecv>::call(sendbuf, sendcount, sendtype, dest, sendtag,
                                                                recvbuf, recvcount, recvtype, source, recvtag,
                                                                comm, status);
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                         int recvtag, MPI_Comm comm, MPI_Status* status) {
  return ReceivingEntry<PMPI_Sendrecv_replace, message::sendrecv_replace>::call(
      buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
}

#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5 // which has these of MPI 4 already

int MPI_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                  MPI_Request* request) {
  return ReceivingEntry<PMPI_Isendrecv, message::isendrecv>::call(sendbuf, sendcount, sendtype, dest, sendtag,
                                                                  recvbuf, recvcount, recvtype, source,
                                                                  recvtag, comm, request);
}

int MPI_Isendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                          int recvtag, MPI_Comm comm, MPI_Request* request) {
  return ReceivingEntry<PMPI_Isendrecv_replace, message::isendrecv_replace>::call(
      buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
}

#endif

#if MPI_VERSION >= 4 // with large counts

int MPI_Send_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return Entry<PMPI_Send_c, announce<PMPI_Isend>, lend<PMPI_Isend_c>>::call(buf, count, datatype, dest, tag,
                                                                            comm);
}

int MPI_Bsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return Entry<PMPI_Bsend_c, lend<PMPI_Ibsend_c>>::call(buf, count, datatype, dest, tag, comm);
}

int MPI_Ssend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return Entry<PMPI_Ssend_c, announce<PMPI_Issend>, lend<PMPI_Issend_c>>::call(buf, count, datatype, dest,
                                                                               tag, comm);
}

int MPI_Rsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return Entry<PMPI_Rsend_c, announce<PMPI_Irsend>, lend<PMPI_Irsend_c>>::call(buf, count, datatype, dest,
                                                                               tag, comm);
}

int MPI_Isend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return Entry<PMPI_Isend_c, start_announced<PMPI_Isend>>::call(buf, count, datatype, dest, tag, comm,
                                                                request);
}

int MPI_Issend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return Entry<PMPI_Issend_c, start_announced<PMPI_Issend>>::call(buf, count, datatype, dest, tag, comm,
                                                                  request);
}

int MPI_Irsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return Entry<PMPI_Irsend_c, start_announced<PMPI_Irsend>>::call(buf, count, datatype, dest, tag, comm,
                                                                  request);
}

int MPI_Recv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
               MPI_Status* status) {
  return ReceivingEntry<PMPI_Recv_c, message::recv, receive<PMPI_Irecv_c>>::call(buf, count, datatype, source,
                                                                                 tag, comm, status);
}

int MPI_Irecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return ReceivingEntry<PMPI_Irecv_c, message::irecv>::call(buf, count, datatype, source, tag, comm, request);
}

int MPI_Mrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return ReceivingEntry<PMPI_Mrecv_c, message::mrecv, receive_matched<PMPI_Imrecv_c>>::call(
      buf, count, datatype, message, status);
}

int MPI_Imrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
                 MPI_Request* request) {
  return ReceivingEntry<PMPI_Imrecv_c, message::imrecv>::call(buf, count, datatype, message, request);
}

int MPI_Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
                   MPI_Comm comm, MPI_Status* status) {
  return ReceivingEntry<PMPI_Sendrecv_c, message::sendrecv>::call(sendbuf, sendcount, sendtype, dest, sendtag,
                                                                  recvbuf, recvcount, recvtype, source,
                                                                  recvtag, comm, status);
}

int MPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                           int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return ReceivingEntry<PMPI_Sendrecv_replace_c, message::sendrecv_replace>::call(
      buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
}

int MPI_Isendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
                    MPI_Comm comm, MPI_Request* request) {
  return ReceivingEntry<PMPI_Isendrecv_c, message::isendrecv>::call(sendbuf, sendcount, sendtype, dest,
                                                                    sendtag, recvbuf, recvcount, recvtype,
                                                                    source, recvtag, comm, request);
}

int MPI_Isendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                            int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  return ReceivingEntry<PMPI_Isendrecv_replace_c, message::isendrecv_replace>::call(
      buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
}

#endif

} // extern "C"
