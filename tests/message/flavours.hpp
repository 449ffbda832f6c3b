// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <numeric>
#include <span>

#include "message/data.hpp"

/// All ways to send, to receive and to complete requests.
namespace test_support {

/// Attaches a buffer for buffered sends.
class AttachedBuffer {
public:
  AttachedBuffer() : bytes_(16 << 20) { MPI_Buffer_attach(bytes_.data(), static_cast<int>(bytes_.size())); }
  ~AttachedBuffer() {
    void* address = nullptr;
    int size = 0;
    MPI_Buffer_detach(&address, &size);
  }
  AttachedBuffer(const AttachedBuffer&) = delete;
  AttachedBuffer& operator=(const AttachedBuffer&) = delete;

private:
  std::vector<char> bytes_;
};

/// What a message is matched by. `peer` is the other rank.
struct Envelope {
  MPI_Comm comm;
  int peer;
  int tag;
};

/// A way to send. `start` returns the code of MPI. If `start` leaves a request, that must be completed. A
/// persistent request is made by the first start; later starts use it again.
struct Sending {
  const char* name;
  int (*start)(const Data& data, const Envelope& to, MPI_Request* request);
  bool needs_receive = false; // the receive must be posted before the send
};

/// A way to receive. If `start` leaves a request, only its completion sets the status.
struct Receiving {
  const char* name;
  int (*start)(const Data& data, const Envelope& from, MPI_Status* status, MPI_Request* request);
  bool posts = false; // `start` leaves a request and does not wait for the message
};

/// A way to complete requests. `complete` completes all requests, even if some fail. It returns the last code
/// that is not MPI_SUCCESS. `statuses` may be MPI_STATUSES_IGNORE.
struct Completing {
  const char* name;
  int (*complete)(std::span<MPI_Request> requests, MPI_Status* statuses);
};

template <auto Send>
int send_at_once(const Data& data, const Envelope& to, MPI_Request*) {
  return Send(data.address(), data.count(), data.type(), to.peer, to.tag, to.comm);
}

template <auto Isend>
int send_later(const Data& data, const Envelope& to, MPI_Request* request) {
  return Isend(data.address(), data.count(), data.type(), to.peer, to.tag, to.comm, request);
}

template <auto Init>
int send_again(const Data& data, const Envelope& to, MPI_Request* request) {
  if (*request == MPI_REQUEST_NULL) {
    const int code = Init(data.address(), data.count(), data.type(), to.peer, to.tag, to.comm, request);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_Start(request);
}

inline const std::vector<Sending>& sendings() {
  // clang-format off
  static const std::vector<Sending> all{
      {"Send", send_at_once<MPI_Send>},
      {"Bsend", send_at_once<MPI_Bsend>},
      {"Ssend", send_at_once<MPI_Ssend>},
      {"Rsend", send_at_once<MPI_Rsend>, true},
      {"Isend", send_later<MPI_Isend>},
      {"Ibsend", send_later<MPI_Ibsend>},
      {"Issend", send_later<MPI_Issend>},
      {"Irsend", send_later<MPI_Irsend>, true},
      {"Send_init", send_again<MPI_Send_init>},
      {"Bsend_init", send_again<MPI_Bsend_init>},
      {"Ssend_init", send_again<MPI_Ssend_init>},
      {"Rsend_init", send_again<MPI_Rsend_init>, true},
#if MPI_VERSION >= 4
      {"Send_c", send_at_once<MPI_Send_c>},
      {"Bsend_c", send_at_once<MPI_Bsend_c>},
      {"Ssend_c", send_at_once<MPI_Ssend_c>},
      {"Rsend_c", send_at_once<MPI_Rsend_c>, true},
      {"Isend_c", send_later<MPI_Isend_c>},
      {"Ibsend_c", send_later<MPI_Ibsend_c>},
      {"Issend_c", send_later<MPI_Issend_c>},
      {"Irsend_c", send_later<MPI_Irsend_c>, true},
      {"Send_init_c", send_again<MPI_Send_init_c>},
      {"Bsend_init_c", send_again<MPI_Bsend_init_c>},
      {"Ssend_init_c", send_again<MPI_Ssend_init_c>},
      {"Rsend_init_c", send_again<MPI_Rsend_init_c>, true},
#endif
  };
  // clang-format on
  return all;
}

template <auto Recv>
int receive_at_once(const Data& data, const Envelope& from, MPI_Status* status, MPI_Request*) {
  return Recv(data.address(), data.count(), data.type(), from.peer, from.tag, from.comm, status);
}

template <auto Irecv>
int receive_later(const Data& data, const Envelope& from, MPI_Status*, MPI_Request* request) {
  return Irecv(data.address(), data.count(), data.type(), from.peer, from.tag, from.comm, request);
}

template <auto Init>
int receive_again(const Data& data, const Envelope& from, MPI_Status*, MPI_Request* request) {
  if (*request == MPI_REQUEST_NULL) {
    const int code = Init(data.address(), data.count(), data.type(), from.peer, from.tag, from.comm, request);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_Start(request);
}

inline int iprobe_until(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  for (int flag = 0;;) {
    const int code = MPI_Iprobe(source, tag, comm, &flag, status);
    if (flag != 0 || code != MPI_SUCCESS) return code;
  }
}

inline int improbe_until(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  for (int flag = 0;;) {
    const int code = MPI_Improbe(source, tag, comm, &flag, message, status);
    if (flag != 0 || code != MPI_SUCCESS) return code;
  }
}

/// Receives with `Recv` the message that `Probe` has found. The statuses of both must be equal.
template <auto Probe, auto Recv>
int receive_probed(const Data& data, const Envelope& from, MPI_Status* status, MPI_Request* request) {
  MPI_Status seen{};
  const int code = Probe(from.peer, from.tag, from.comm, &seen);
  if (code != MPI_SUCCESS) return code;
  int bytes = -1;
  PMPI_Get_count(&seen, MPI_BYTE, &bytes);
  const Envelope exact{from.comm, seen.MPI_SOURCE, seen.MPI_TAG};
  MPI_Status received{};
  const int result = receive_at_once<Recv>(data, exact, &received, request);
  int received_bytes = -1;
  PMPI_Get_count(&received, MPI_BYTE, &received_bytes);
  if (status != MPI_STATUS_IGNORE) *status = received;
  const bool same =
      bytes == received_bytes && seen.MPI_SOURCE == received.MPI_SOURCE && seen.MPI_TAG == received.MPI_TAG;
  return result != MPI_SUCCESS || same ? result : MPI_ERR_INTERN;
}

template <auto Mprobe, auto Mrecv>
int receive_matched(const Data& data, const Envelope& from, MPI_Status* status, MPI_Request*) {
  MPI_Message message = MPI_MESSAGE_NULL;
  const int code = Mprobe(from.peer, from.tag, from.comm, &message, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return code;
  return Mrecv(data.address(), data.count(), data.type(), &message, status);
}

template <auto Mprobe, auto Imrecv>
int receive_matched_later(const Data& data, const Envelope& from, MPI_Status* status, MPI_Request* request) {
  MPI_Message message = MPI_MESSAGE_NULL;
  const int code = Mprobe(from.peer, from.tag, from.comm, &message, status);
  if (code != MPI_SUCCESS) return code;
  return Imrecv(data.address(), data.count(), data.type(), &message, request);
}

/// Receives with a send-receive function, whose send goes to MPI_PROC_NULL.
template <auto Sendrecv>
int receive_exchanging(const Data& data, const Envelope& from, MPI_Status* status, MPI_Request*) {
  return Sendrecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, data.address(), data.count(), data.type(), from.peer,
                  from.tag, from.comm, status);
}

/// Starts a receive with a non-blocking send-receive function, whose send goes to MPI_PROC_NULL.
template <auto Isendrecv>
int receive_exchanging_later(const Data& data, const Envelope& from, MPI_Status*, MPI_Request* request) {
  return Isendrecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, data.address(), data.count(), data.type(),
                   from.peer, from.tag, from.comm, request);
}

/// Starts a receive with MPI_Isendrecv_replace, which sends the old contents of the buffer to MPI_PROC_NULL.
template <auto Isendrecv_replace>
int receive_replacing_later(const Data& data, const Envelope& from, MPI_Status*, MPI_Request* request) {
  return Isendrecv_replace(data.address(), data.count(), data.type(), MPI_PROC_NULL, 0, from.peer, from.tag,
                           from.comm, request);
}

inline const std::vector<Receiving>& receivings() {
  // clang-format off
  static const std::vector<Receiving> all{
      {"Recv", receive_at_once<MPI_Recv>},
      {"Irecv", receive_later<MPI_Irecv>, true},
      {"Recv_init", receive_again<MPI_Recv_init>, true},
      {"Probe, Recv", receive_probed<MPI_Probe, MPI_Recv>},
      {"Iprobe, Recv", receive_probed<iprobe_until, MPI_Recv>},
      {"Mprobe, Mrecv", receive_matched<MPI_Mprobe, MPI_Mrecv>},
      {"Improbe, Imrecv", receive_matched_later<improbe_until, MPI_Imrecv>},
      {"Sendrecv", receive_exchanging<MPI_Sendrecv>},
#if MPI_VERSION >= 4
      {"Recv_c", receive_at_once<MPI_Recv_c>},
      {"Irecv_c", receive_later<MPI_Irecv_c>, true},
      {"Recv_init_c", receive_again<MPI_Recv_init_c>, true},
      {"Probe, Recv_c", receive_probed<MPI_Probe, MPI_Recv_c>},
      {"Improbe, Mrecv_c", receive_matched<improbe_until, MPI_Mrecv_c>},
      {"Mprobe, Imrecv_c", receive_matched_later<MPI_Mprobe, MPI_Imrecv_c>},
      {"Sendrecv_c", receive_exchanging<MPI_Sendrecv_c>},
      {"Isendrecv", receive_exchanging_later<MPI_Isendrecv>, true},
      {"Isendrecv_c", receive_exchanging_later<MPI_Isendrecv_c>, true},
      {"Isendrecv_replace", receive_replacing_later<MPI_Isendrecv_replace>, true},
      {"Isendrecv_replace_c", receive_replacing_later<MPI_Isendrecv_replace_c>, true},
#endif
  };
  // clang-format on
  return all;
}

namespace completing {

inline MPI_Status* status_at(MPI_Status* statuses, int index) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + index;
}

inline int size_of(std::span<MPI_Request> requests) {
  return static_cast<int>(requests.size());
}

/// Completes the requests one after the other with `Complete(request, status)`.
template <auto Complete>
int each(std::span<MPI_Request> requests, MPI_Status* statuses) {
  int result = MPI_SUCCESS;
  for (int i = 0; i < size_of(requests); ++i) {
    const int code = Complete(&requests[static_cast<std::size_t>(i)], status_at(statuses, i));
    if (code != MPI_SUCCESS) result = code;
  }
  return result;
}

inline int test_until(MPI_Request* request, MPI_Status* status) {
  for (int flag = 0;;) {
    const int code = MPI_Test(request, &flag, status);
    if (flag != 0 || code != MPI_SUCCESS) return code;
  }
}

/// Tests a request that is already known to be complete, with status `seen`. Expects that the test completes
/// it with the same source and tag. MPI defines neither for a send. For a persistent send of MPICH 4.2,
/// `seen` is unchanged, and the test makes both empty.
inline int test_seen(MPI_Request* request, const MPI_Status& seen, MPI_Status* status) {
  int flag = 0;
  MPI_Status final{};
  const int code = MPI_Test(request, &flag, &final);
  if (status != MPI_STATUS_IGNORE) *status = final;
  const bool unset = seen.MPI_SOURCE == 0 && seen.MPI_TAG == 0 && final.MPI_SOURCE == MPI_ANY_SOURCE;
  const bool same = unset || (final.MPI_SOURCE == seen.MPI_SOURCE && final.MPI_TAG == seen.MPI_TAG);
  return code != MPI_SUCCESS || (flag != 0 && same) ? code : MPI_ERR_INTERN;
}

/// Waits with MPI_Request_get_status. Then one test must complete the request with the same status.
inline int look_until(MPI_Request* request, MPI_Status* status) {
  MPI_Status seen{};
  for (int flag = 0; flag == 0;) {
    const int code = MPI_Request_get_status(*request, &flag, &seen);
    if (code != MPI_SUCCESS) break; // the completion below fails as well
  }
  return test_seen(request, seen, status);
}

inline int all_waited(std::span<MPI_Request> requests, MPI_Status* statuses) {
  return MPI_Waitall(size_of(requests), requests.data(), statuses);
}

inline int all_tested(std::span<MPI_Request> requests, MPI_Status* statuses) {
  for (int flag = 0;;) {
    const int code = MPI_Testall(size_of(requests), requests.data(), &flag, statuses);
    if (flag != 0 || code != MPI_SUCCESS) return code;
  }
}

/// Calls `any(index, status)` until no request is active.
template <class Any>
int one_by_one(MPI_Status* statuses, const Any& any) {
  int result = MPI_SUCCESS;
  for (;;) {
    MPI_Status status{};
    int index = MPI_UNDEFINED;
    const int code = any(&index, statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &status);
    if (code != MPI_SUCCESS) result = code;
    if (index == MPI_UNDEFINED) return result;
    if (statuses != MPI_STATUSES_IGNORE) statuses[index] = status;
  }
}

inline int any_waited(std::span<MPI_Request> requests, MPI_Status* statuses) {
  return one_by_one(statuses, [&](int* index, MPI_Status* status) {
    return MPI_Waitany(size_of(requests), requests.data(), index, status);
  });
}

inline int any_tested(std::span<MPI_Request> requests, MPI_Status* statuses) {
  return one_by_one(statuses, [&](int* index, MPI_Status* status) {
    for (int flag = 0;;) {
      const int code = MPI_Testany(size_of(requests), requests.data(), index, &flag, status);
      if (flag != 0 || code != MPI_SUCCESS) return code;
    }
  });
}

/// Completes the requests with MPI_Waitsome or MPI_Testsome, some in each call.
template <auto Some>
int some_by_some(std::span<MPI_Request> requests, MPI_Status* statuses) {
  const bool ignore = statuses == MPI_STATUSES_IGNORE;
  std::vector<MPI_Status> some(requests.size());
  std::vector<int> indices(requests.size());
  int result = MPI_SUCCESS;
  for (;;) {
    int completed = 0;
    const int code = Some(size_of(requests), requests.data(), &completed, indices.data(),
                          ignore ? MPI_STATUSES_IGNORE : some.data());
    if (code != MPI_SUCCESS) result = code;
    if (completed == MPI_UNDEFINED) return result;
    for (std::size_t i = 0; i < static_cast<std::size_t>(completed) && !ignore; ++i)
      statuses[indices[i]] = some[i];
  }
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)

inline int all_looked_at(std::span<MPI_Request> requests, MPI_Status* statuses) {
  std::vector<MPI_Status> seen(requests.size());
  int result = MPI_SUCCESS;
  for (int flag = 0; flag == 0;) {
    const int code = MPI_Request_get_status_all(size_of(requests), requests.data(), &flag, seen.data());
    if (code != MPI_SUCCESS) break; // the completions below fail as well
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const int code = test_seen(&requests[i], seen[i], status_at(statuses, static_cast<int>(i)));
    if (code != MPI_SUCCESS) result = code;
  }
  return result;
}

inline int any_looked_at(std::span<MPI_Request> requests, MPI_Status* statuses) {
  int result = MPI_SUCCESS;
  for (;;) {
    MPI_Status seen{};
    int index = MPI_UNDEFINED;
    for (int flag = 0; flag == 0;)
      MPI_Request_get_status_any(size_of(requests), requests.data(), &index, &flag, &seen);
    if (index == MPI_UNDEFINED) return result;
    const int code = test_seen(&requests[static_cast<std::size_t>(index)], seen, status_at(statuses, index));
    if (code != MPI_SUCCESS) result = code;
  }
}

inline int some_looked_at(std::span<MPI_Request> requests, MPI_Status* statuses) {
  std::vector<int> indices(requests.size());
  int result = MPI_SUCCESS;
  for (;;) {
    std::vector<MPI_Status> seen(requests.size()); // MPICH leaves the statuses of sends unchanged
    int completed = 0;
    MPI_Request_get_status_some(size_of(requests), requests.data(), &completed, indices.data(), seen.data());
    if (completed == MPI_UNDEFINED) return result;
    for (std::size_t i = 0; i < static_cast<std::size_t>(completed); ++i) {
      const int code = test_seen(&requests[static_cast<std::size_t>(indices[i])], seen[i],
                                 status_at(statuses, indices[i]));
      if (code != MPI_SUCCESS) result = code;
    }
  }
}

#endif

} // namespace completing

inline const std::vector<Completing>& completings() {
  static const std::vector<Completing> all {
    {"Wait", completing::each<MPI_Wait>}, {"Waitall", completing::all_waited},
        {"Waitany", completing::any_waited}, {"Waitsome", completing::some_by_some<MPI_Waitsome>},
        {"Test", completing::each<completing::test_until>}, {"Testall", completing::all_tested},
        {"Testany", completing::any_tested}, {"Testsome", completing::some_by_some<MPI_Testsome>},
        {"Request_get_status", completing::each<completing::look_until>},
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
        {"Request_get_status_all", completing::all_looked_at},
        {"Request_get_status_any", completing::any_looked_at},
        {"Request_get_status_some", completing::some_looked_at},
#endif
  };
  return all;
}

/// Completes `request`, unless it is null.
inline int complete(const Completing& way, MPI_Request& request, MPI_Status* status) {
  return request == MPI_REQUEST_NULL ? MPI_SUCCESS : way.complete({&request, 1}, status);
}

/// Completes requests a few at a time, in random order and in random ways. Returns the last code that is not
/// MPI_SUCCESS.
inline int complete_shuffled(std::vector<MPI_Request>& requests, std::vector<MPI_Status>& statuses,
                             Draw& own) {
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  own.shuffle(order);
  int result = MPI_SUCCESS;
  for (std::size_t begin = 0; begin < order.size();) {
    const std::size_t size = std::min(order.size() - begin, static_cast<std::size_t>(1 + own.upto(7)));
    const auto some = std::span(order).subspan(begin, size);
    std::vector<MPI_Request> some_requests;
    for (std::size_t index : some) some_requests.push_back(requests[index]);
    std::vector<MPI_Status> some_statuses(size);
    const int code = own.of(completings()).complete(some_requests, some_statuses.data());
    if (code != MPI_SUCCESS) result = code;
    for (std::size_t i = 0; i < size; ++i) {
      requests[some[i]] = some_requests[i];
      statuses[some[i]] = some_statuses[i];
    }
    begin += size;
  }
  return result;
}

} // namespace test_support
