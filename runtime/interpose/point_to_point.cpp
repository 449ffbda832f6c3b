// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Blocking sends and receives.

#include <cstddef>
#include <vector>

#include "interpose/entry.hpp"
#include "interpose/lend.hpp"
#include "layout/layout.hpp"

using namespace helper;
using namespace helper::interpose;

// Receives from MPI_PROC_NULL go to blocking functions, which return at once: MPICH 4.0.2's MPI_Test does not
// set their status. Its MPI_Isendrecv and MPI_Isendrecv_replace hang or crash on MPI_PROC_NULL and return
// wrong tags in statuses, so both are made of a receive and a send.
namespace {

template <auto Irecv>
struct Receive {
  template <class Count>
  std::optional<int> operator()(team::Member& member, void* buffer, Count count, MPI_Datatype type,
                                int source, int tag, MPI_Comm comm, MPI_Status* status) const {
    if (source == MPI_PROC_NULL || status == nullptr) return std::nullopt;
    return lend_with_status<Irecv>(member, buffer, count, type, source, tag, comm, status);
  }
};

template <auto Imrecv>
struct ReceiveMatched {
  template <class Count>
  std::optional<int> operator()(team::Member& member, void* buffer, Count count, MPI_Datatype type,
                                MPI_Message* message, MPI_Status* status) const {
    if (message == nullptr || *message == MPI_MESSAGE_NO_PROC || status == nullptr) return std::nullopt;
    return lend_with_status<Imrecv>(member, buffer, count, type, message, status);
  }
};

template <auto Isend, auto Irecv, auto Recv>
struct Exchange {
  template <class OutCount, class InCount>
  std::optional<int> operator()(team::Member& member, const void* out, OutCount out_count,
                                MPI_Datatype out_type, int destination, int out_tag, void* in,
                                InCount in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm,
                                MPI_Status* status) const {
    if (source == MPI_PROC_NULL) {
      const auto sent = lend<Isend>(member, out, out_count, out_type, destination, out_tag, comm);
      return sent != MPI_SUCCESS ? sent : Recv(in, in_count, in_type, source, in_tag, comm, status);
    }
    MPI_Request receive = MPI_REQUEST_NULL;
    const int started = Irecv(in, in_count, in_type, source, in_tag, comm, &receive);
    if (started != MPI_SUCCESS) return started;
    const auto sent = lend<Isend>(member, out, out_count, out_type, destination, out_tag, comm);
    if (sent != MPI_SUCCESS) PMPI_Cancel(&receive);
    const int received =
        wait_until(member, name_of<Recv>, comm, [&](int* flag) { return PMPI_Test(&receive, flag, status); });
    return sent != MPI_SUCCESS ? sent : received;
  }
};

template <auto Irecv, auto Recv>
struct Replace {
  template <class Count>
  std::optional<int> operator()(team::Member& member, void* buffer, Count count, MPI_Datatype type,
                                int destination, int out_tag, int source, int in_tag, MPI_Comm comm,
                                MPI_Status* status) const {
    // To nobody, so that native MPI judges the arguments. Its MPI_Pack would refuse MPI_BOTTOM.
    const int code = PMPI_Send_c(buffer, count, type, MPI_PROC_NULL, out_tag, comm);
    if (code != MPI_SUCCESS) return code;
    const auto layout = layout::Layout::of(type);
    if (layout == nullptr) return std::nullopt;
    std::vector<std::byte> packed(layout->size() * static_cast<std::size_t>(count));
    layout::pack(*layout, buffer, 0, packed.size(), packed.data());
    return Exchange<PMPI_Isend_c, Irecv, Recv>{}(member, packed.data(), static_cast<MPI_Count>(packed.size()),
                                                 MPI_PACKED, destination, out_tag, buffer, count, type,
                                                 source, in_tag, comm, status);
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
  return Entry<PMPI_Recv, Receive<PMPI_Irecv>{}>::call(buf, count, datatype, source, tag, comm, status);
}

int MPI_Recv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
               MPI_Status* status) {
  return Entry<PMPI_Recv_c, Receive<PMPI_Irecv_c>{}>::call(buf, count, datatype, source, tag, comm, status);
}

int MPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return Entry<PMPI_Mrecv, ReceiveMatched<PMPI_Imrecv>{}>::call(buf, count, datatype, message, status);
}

int MPI_Mrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return Entry<PMPI_Mrecv_c, ReceiveMatched<PMPI_Imrecv_c>{}>::call(buf, count, datatype, message, status);
}

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                 MPI_Status* status) {
  return Entry<PMPI_Sendrecv, Exchange<PMPI_Isend, PMPI_Irecv, PMPI_Recv>{}>::call(
      sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm,
      status);
}

int MPI_Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
                   MPI_Comm comm, MPI_Status* status) {
  return Entry<PMPI_Sendrecv_c, Exchange<PMPI_Isend_c, PMPI_Irecv_c, PMPI_Recv_c>{}>::call(
      sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm,
      status);
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                         int recvtag, MPI_Comm comm, MPI_Status* status) {
  return Entry<PMPI_Sendrecv_replace, Replace<PMPI_Irecv, PMPI_Recv>{}>::call(
      buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
}

int MPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                           int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return Entry<PMPI_Sendrecv_replace_c, Replace<PMPI_Irecv_c, PMPI_Recv_c>{}>::call(
      buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
}

} // extern "C"
