// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Sends and receives.

#include <cstddef>
#include <vector>

#include "interpose/entry.hpp"
#include "interpose/lend.hpp"
#include "layout/layout.hpp"
#include "message/message.hpp"
#include "native/large_counts.hpp"
#include "transport/arguments.hpp"
#include "transport/mpi_error.hpp"
#include "transport/own_copy.hpp"

using namespace helper;
using namespace helper::interpose;

// Receives from MPI_PROC_NULL go to blocking functions, which return at once: MPICH 4.0.2's MPI_Test does not
// set their status. Its MPI_Isendrecv and MPI_Isendrecv_replace hang or crash on MPI_PROC_NULL and return
// wrong tags in statuses, so both are made of a receive and a send.
namespace {

/// A blocking send, announced if that pays; `Start` is the MPI function that starts a send of its mode.
template <auto Start>
struct Announce {
  template <class Count>
  std::optional<int> operator()(team::Member& member, const void* buffer, Count count, MPI_Datatype type,
                                int destination, int tag, MPI_Comm comm) const {
    return message::send(member, Start, name_of<Start>, buffer, count, type, destination, tag, comm);
  }
};
template <auto Start>
inline constexpr Announce<Start> announce{};

/// The same without blocking.
template <auto Start>
struct StartAnnounced {
  template <class Count>
  std::optional<int> operator()(team::Member& member, const void* buffer, Count count, MPI_Datatype type,
                                int destination, int tag, MPI_Comm comm, MPI_Request* request) const {
    return message::isend(member, Start, buffer, count, type, destination, tag, comm, request);
  }
};
template <auto Start>
inline constexpr StartAnnounced<Start> start_announced{};

template <auto Irecv>
struct Receive {
  template <class Count>
  std::optional<int> operator()(team::Member& member, void* buffer, Count count, MPI_Datatype type,
                                int source, int tag, MPI_Comm comm, MPI_Status* status) const {
    if (source == MPI_PROC_NULL || !transport::valid_status(status)) return std::nullopt;
    return lend_with_status<Irecv>(member, buffer, count, type, source, tag, comm, status);
  }
};

template <auto Imrecv>
struct ReceiveMatched {
  template <class Count>
  std::optional<int> operator()(team::Member& member, void* buffer, Count count, MPI_Datatype type,
                                MPI_Message* message, MPI_Status* status) const {
    if (message == nullptr || *message == MPI_MESSAGE_NO_PROC || !transport::valid_status(status))
      return std::nullopt;
    return lend_with_status<Imrecv>(member, buffer, count, type, message, status);
  }
};

/// The result of `start()`, which starts one of two messages: an error does not leave the other behind.
template <class Start>
int started(const Start& start) {
  try {
    return start();
  } catch (const transport::MpiError& error) {
    if (error.comm() != MPI_COMM_NULL) PMPI_Comm_call_errhandler(error.comm(), error.code());
    return error.code();
  }
}

int exchange(team::Member& member, const void* out, MPI_Count out_count, MPI_Datatype out_type,
             int destination, int out_tag, void* in, MPI_Count in_count, MPI_Datatype in_type, int source,
             int in_tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Request receive = MPI_REQUEST_NULL;
  MPI_Request send = MPI_REQUEST_NULL;
  int received = started([&] {
    return source == MPI_PROC_NULL
               ? PMPI_Recv_c(in, in_count, in_type, source, in_tag, comm, status)
               : message::start_receive(member, in, in_count, in_type, source, in_tag, comm, &receive);
  });
  if (received != MPI_SUCCESS) return received;
  int sent = started([&] {
    return message::start_send(member, out, out_count, out_type, destination, out_tag, comm, &send);
  });
  if (sent != MPI_SUCCESS && receive != MPI_REQUEST_NULL) PMPI_Cancel(&receive);
  bool out_done = sent != MPI_SUCCESS;
  bool in_done = source == MPI_PROC_NULL;
  const auto over = [&](MPI_Request& request, int& failed, MPI_Status* into) {
    return transport::over_by(
        [&](int* done) { return message::test_one(member, &request, into, done, comm); }, request, failed);
  };
  member.lend_until(
      [&] {
        out_done = out_done || over(send, sent, MPI_STATUS_IGNORE);
        in_done = in_done || over(receive, received, status);
        return out_done && in_done;
      },
      [&] { return message::describe_wait(member, "MPI_Sendrecv", comm); });
  return sent != MPI_SUCCESS ? sent : received;
}

// What comes is received as bytes: MPICH cuts a message of bytes anywhere, and fails to receive a part of a
// basic element, so what goes is sent from where it is.
std::optional<int> replace(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type,
                           int destination, int out_tag, int source, int in_tag, MPI_Comm comm,
                           MPI_Status* status) {
  if (!transport::valid_status(status)) return std::nullopt;
  // To nobody, so that native MPI judges the arguments.
  int code = PMPI_Send_c(buffer, count, type, MPI_PROC_NULL, out_tag, comm);
  if (code != MPI_SUCCESS) return code;
  const auto layout = transport::charged_to(comm, [&] { return layout::Layout::of(type); });
  MPI_Count element = 0;
  PMPI_Type_size_x(type, &element);
  auto packed = transport::charged_to(
      comm, [&] { return std::vector<std::byte>(static_cast<std::size_t>(count * element)); });
  MPI_Status ignored{};
  if (status == MPI_STATUS_IGNORE) status = &ignored;
  code = exchange(member, buffer, count, type, destination, out_tag, packed.data(),
                  static_cast<MPI_Count>(packed.size()), MPI_PACKED, source, in_tag, comm, status);
  if (code != MPI_SUCCESS) return code;
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
  if (layout != nullptr)
    layout::unpack(*layout, buffer, 0, static_cast<std::size_t>(bytes), packed.data());
  else
    code = transport::copy_by_mpi({packed.data(), bytes, MPI_PACKED}, {buffer, count, type});
  if (code != MPI_SUCCESS) throw transport::MpiError(comm, code);
  return MPI_SUCCESS;
}

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
  return ReceivingEntry<PMPI_Recv, message::recv, Receive<PMPI_Irecv>{}>::call(buf, count, datatype, source,
                                                                               tag, comm, status);
}

int MPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return ReceivingEntry<PMPI_Irecv, message::irecv>::call(buf, count, datatype, source, tag, comm, request);
}

int MPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return ReceivingEntry<PMPI_Mrecv, message::mrecv, ReceiveMatched<PMPI_Imrecv>{}>::call(buf, count, datatype,
                                                                                         message, status);
}

int MPI_Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
  return ReceivingEntry<PMPI_Imrecv, message::imrecv>::call(buf, count, datatype, message, request);
}

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                 MPI_Status* status) {
  return ReceivingEntry<PMPI_Sendrecv, exchange>::call(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,
                                                       recvcount, recvtype, source, recvtag, comm, status);
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                         int recvtag, MPI_Comm comm, MPI_Status* status) {
  return ReceivingEntry<PMPI_Sendrecv_replace, replace>::call(buf, count, datatype, dest, sendtag, source,
                                                              recvtag, comm, status);
}

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
  return ReceivingEntry<PMPI_Recv_c, message::recv, Receive<PMPI_Irecv_c>{}>::call(buf, count, datatype,
                                                                                   source, tag, comm, status);
}

int MPI_Irecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return ReceivingEntry<PMPI_Irecv_c, message::irecv>::call(buf, count, datatype, source, tag, comm, request);
}

int MPI_Mrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return ReceivingEntry<PMPI_Mrecv_c, message::mrecv, ReceiveMatched<PMPI_Imrecv_c>{}>::call(
      buf, count, datatype, message, status);
}

int MPI_Imrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
                 MPI_Request* request) {
  return ReceivingEntry<PMPI_Imrecv_c, message::imrecv>::call(buf, count, datatype, message, request);
}

int MPI_Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
                   MPI_Comm comm, MPI_Status* status) {
  return ReceivingEntry<PMPI_Sendrecv_c, exchange>::call(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,
                                                         recvcount, recvtype, source, recvtag, comm, status);
}

int MPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                           int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return ReceivingEntry<PMPI_Sendrecv_replace_c, replace>::call(buf, count, datatype, dest, sendtag, source,
                                                                recvtag, comm, status);
}

#endif

} // extern "C"
