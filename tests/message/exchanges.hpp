// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "message/flavours.hpp"

/// All ways to send and receive in one call or at the same time.
namespace test_support {

/// A way to send `out` and receive `in`.
struct Exchange {
  const char* name;
  int (*run)(const Data& out, const Envelope& to, const Data& in, const Envelope& from, MPI_Status* status);
  bool requests = false; // has a request: then MPICH 4.0.2 sets no status for MPI_PROC_NULL
  bool in_place = false; // uses one buffer to send and receive
};

template <auto Sendrecv>
int together(const Data& out, const Envelope& to, const Data& in, const Envelope& from, MPI_Status* status) {
  return Sendrecv(out.address(), out.count(), out.type(), to.peer, to.tag, in.address(), in.count(),
                  in.type(), from.peer, from.tag, from.comm, status);
}

template <auto Replace>
int replaced(const Data&, const Envelope& to, const Data& in, const Envelope& from, MPI_Status* status) {
  return Replace(in.address(), in.count(), in.type(), to.peer, to.tag, from.peer, from.tag, from.comm,
                 status);
}

#if MPI_VERSION >= 4
/// Starts an exchange and completes it with `Complete`, one of completings().
template <auto Isendrecv, auto Complete>
int together_later(const Data& out, const Envelope& to, const Data& in, const Envelope& from,
                   MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = Isendrecv(out.address(), out.count(), out.type(), to.peer, to.tag, in.address(),
                             in.count(), in.type(), from.peer, from.tag, from.comm, &request);
  return code | Complete({&request, 1}, status);
}

template <auto Replace, auto Complete>
int replaced_later(const Data&, const Envelope& to, const Data& in, const Envelope& from,
                   MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code =
      Replace(in.address(), in.count(), in.type(), to.peer, to.tag, from.peer, from.tag, from.comm, &request);
  return code | Complete({&request, 1}, status);
}
#endif

inline int receive_first(const Data& out, const Envelope& to, const Data& in, const Envelope& from,
                         MPI_Status* status) {
  std::array<MPI_Request, 2> requests{};
  std::array<MPI_Status, 2> statuses{};
  receive_later<MPI_Irecv>(in, from, nullptr, &requests[0]);
  send_later<MPI_Isend>(out, to, &requests[1]);
  const int code = MPI_Waitall(2, requests.data(), statuses.data());
  *status = statuses[0];
  return code;
}

inline int send_first(const Data& out, const Envelope& to, const Data& in, const Envelope& from,
                      MPI_Status* status) {
  std::array<MPI_Request, 2> requests{};
  std::array<MPI_Status, 2> statuses{};
  send_later<MPI_Isend>(out, to, &requests[0]);
  receive_later<MPI_Irecv>(in, from, nullptr, &requests[1]);
  const int code = MPI_Waitall(2, requests.data(), statuses.data());
  *status = statuses[1];
  return code;
}

inline int send_and_block(const Data& out, const Envelope& to, const Data& in, const Envelope& from,
                          MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  send_later<MPI_Isend>(out, to, &request);
  const int code = receive_at_once<MPI_Recv>(in, from, status, nullptr);
  return code | MPI_Wait(&request, MPI_STATUS_IGNORE);
}

template <auto Send>
int block_and_receive(const Data& out, const Envelope& to, const Data& in, const Envelope& from,
                      MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  receive_later<MPI_Irecv>(in, from, nullptr, &request);
  const int code = send_at_once<Send>(out, to, nullptr);
  return code | MPI_Wait(&request, status);
}

inline int start_both(const Data& out, const Envelope& to, const Data& in, const Envelope& from,
                      MPI_Status* status) {
  std::array<MPI_Request, 2> requests{};
  std::array<MPI_Status, 2> statuses{};
  MPI_Send_init(out.address(), out.count(), out.type(), to.peer, to.tag, to.comm, &requests[0]);
  MPI_Recv_init(in.address(), in.count(), in.type(), from.peer, from.tag, from.comm, &requests[1]);
  MPI_Startall(2, requests.data());
  const int code = MPI_Waitall(2, requests.data(), statuses.data());
  *status = statuses[1];
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  return code;
}

inline const std::vector<Exchange>& exchanges() {
  // clang-format off
  static const std::vector<Exchange> all{
      {"Sendrecv", together<MPI_Sendrecv>},
      {"Sendrecv_replace", replaced<MPI_Sendrecv_replace>, false, true},
      {"Irecv, Isend, Waitall", receive_first, true},
      {"Isend, Irecv, Waitall", send_first, true},
      {"Isend, Recv, Wait", send_and_block},
      {"Irecv, Send, Wait", block_and_receive<MPI_Send>, true},
      {"Irecv, Ssend, Wait", block_and_receive<MPI_Ssend>, true},
      {"Startall, Waitall", start_both, true},
#if MPI_VERSION >= 4
      {"Sendrecv_c", together<MPI_Sendrecv_c>},
      {"Sendrecv_replace_c", replaced<MPI_Sendrecv_replace_c>, false, true},
      {"Isendrecv, Wait", together_later<MPI_Isendrecv, completing::each<MPI_Wait>>},
      {"Isendrecv_c, Testany", together_later<MPI_Isendrecv_c, completing::any_tested>},
      {"Isendrecv_replace, Waitall", replaced_later<MPI_Isendrecv_replace, completing::all_waited>, false, true},
      {"Isendrecv_replace_c, Testsome",
       replaced_later<MPI_Isendrecv_replace_c, completing::some_by_some<MPI_Testsome>>, false, true},
#endif
  };
  // clang-format on
  return all;
}

} // namespace test_support
