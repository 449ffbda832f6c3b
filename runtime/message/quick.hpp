// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <tuple>

#include "device/device.hpp"
#include "message/given_requests.hpp"
#include "message/message.hpp"
#include "message/peers.hpp"
#include "message/requests.hpp"
#include "message/unexpected.hpp"
#include "message/wait.hpp"
#include "shm/traffic.hpp"
#include "team/detours.hpp"
#include "transport/message.hpp"

/// Completes requests if all requests of a call can be passed to MPI unchanged: such a call costs little more
/// than the native function. The library looks only at requests that MPI has completed.
///
/// The functions do what the MPI functions of their names do, by calling `native`, a test or probe of MPI.
/// They count completed requests. They return `not_done`, having completed nothing, if the caller must call
/// the functions in message.hpp. Functions that wait also return it if brief looks find nothing complete.
namespace helper::message::quick {

/// Not a code of MPI. A std::optional would be returned through memory, which costs more than all else here.
inline constexpr int not_done = std::numeric_limits<int>::min();

/// The largest number of requests in a call whose handles are kept on the stack.
inline constexpr int few = 64;

/// Keeps the arguments of an MPI call in memory. In registers they would be saved and restored at each call,
/// but they are needed afterwards only if the call has found something.
template <class... Arguments>
[[gnu::always_inline]] inline std::tuple<Arguments...> kept(Arguments... arguments) {
  std::tuple<Arguments...> all(arguments...);
  asm("" : "+m"(all)); // the compiler no longer knows the values, and so reads them from memory
  return all;
}

namespace detail {

// These note what MPI has completed, in a call that returned `code`. The statuses are those of MPI.

int settle_one(MPI_Request name, MPI_Request& request, int code, const MPI_Status& status);
int settle_any(const MPI_Request* names, int count, MPI_Request* requests, const int* index, const int* flag,
               MPI_Status* status, const MPI_Status& own, int code);
int settle_some(const MPI_Request* names, int count, MPI_Request* requests, int* completed, int* indices,
                MPI_Status* statuses, int code);
int testany_of_many(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status);

// Returns the code of a call if one of its `count` requests has failed with `code`. If the handle was no
// request, sets `done` to `count`, since MPI then looks at no further handle.
int fail(int code, int count, int& done);

} // namespace detail

/// The status of a receive from MPI_PROC_NULL: quirk test_leaves_status. MPI_Init sets it.
inline MPI_Status from_nobody;

/// Returns whether MPI can be given the requests of a call with these arguments although calls need a detour
/// (team/detours.hpp). If so, those that have operations are receives for which nothing has arrived.
bool can_be_given(int count, const MPI_Request* requests) noexcept;
template <class... Others>
bool can_be_given(int count, const MPI_Request* requests, Others...) noexcept {
  return can_be_given(count, requests);
}
template <class... Others>
bool can_be_given(const MPI_Request* request, Others...) noexcept {
  return can_be_given(1, request);
}
/// A probe has no requests.
template <class... Others>
bool can_be_given(int, int, MPI_Comm, Others...) noexcept {
  return true;
}

/// Returns how many bytes a call sends or receives, if these are so few that MPI alone moves them, and calls
/// need no detour. Returns a negative number if a quick look does not show this.
[[gnu::always_inline]] inline MPI_Count plain_bytes(const void* buffer, MPI_Count count,
                                                    MPI_Datatype type) noexcept {
  const ranks::detail::KnownType& known = ranks::detail::known_type;
  if (team::detours::any() || type != known.type || !known.is_simple || buffer == nullptr) return -1;
  const auto most = static_cast<MPI_Count>(RendezvousSend::least_bytes(nullptr)) - 1;
  return count >= 0 && count <= most && count * known.size <= most ? count * known.size : -1;
}

/// Returns whether MPI alone sends these data: they have plain_bytes(), and cannot be taken for an RTS.
[[gnu::always_inline]] inline bool is_sent_plainly(const void* buffer, MPI_Count count,
                                                   MPI_Datatype type) noexcept {
  const MPI_Count bytes = plain_bytes(buffer, count, type);
  return bytes >= 0 && !Rts::may_have(bytes);
}

/// Returns whether MPI alone receives into a buffer that has plain_bytes().
[[gnu::always_inline]] inline bool is_received_plainly(const void* buffer, MPI_Datatype type, int source) {
  // Data sent as any other type may be received as MPI_PACKED, and GPU memory cannot be read.
  return type != MPI_PACKED && source != MPI_PROC_NULL && !device::holds(buffer) && peers::is_shown();
}

/// `all` are the arguments, kept().
template <class Native>
[[gnu::always_inline]] inline int test(const Native& native, const auto& all, MPI_Request* request, int* flag,
                                       MPI_Status* status) {
  if (request == nullptr || !ranks::valid_status(status)) return not_done;
  MPI_Request name = *request;
  asm("" : "+m"(name)); // as in kept()
  MPI_Status own;
  const int code = native(request, flag, status == MPI_STATUS_IGNORE ? &own : status);
  MPI_Request& after = *std::get<0>(all);
  if (after == name) [[likely]] // not complete, or persistent
    return code;
  return detail::settle_one(name, after, code,
                            std::get<2>(all) == MPI_STATUS_IGNORE ? own : *std::get<2>(all));
}

template <class Native>
[[gnu::always_inline]] inline int testany(const Native& native, const auto& all, int count,
                                          MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  if (count <= 0 || requests == nullptr || !ranks::valid_status(status)) return not_done;
  if (count > few) [[unlikely]]
    return detail::testany_of_many(count, requests, index, flag, status);
  std::array<MPI_Request, few> names;
  names[0] = requests[0];
  if (count > 1) std::copy_n(requests + 1, count - 1, names.data() + 1);
  MPI_Status own;
  const int code = native(count, requests, index, flag, status == MPI_STATUS_IGNORE ? &own : status);
  if (code == MPI_SUCCESS && *std::get<3>(all) == 0) [[likely]]
    return code;
  return std::apply([&](auto... each) { return detail::settle_any(names.data(), each..., own, code); }, all);
}

template <class Native>
[[gnu::always_inline]] inline int wait(const Native& native, MPI_Request* request, MPI_Status* status) {
  int flag = -1; // stays so after an error for which an MPI may return MPI_SUCCESS
  if (ranks::valid_status(status) && status != MPI_STATUS_IGNORE) {
    const int error = status->MPI_ERROR;
    *status = from_nobody;
    status->MPI_ERROR = error;
  }
  const auto all = kept(request, &flag, status);
  int code = test(native, all, request, &flag, status);
  if (code != MPI_SUCCESS || flag != 0) return code;
  transport::poll_in_a_row([&] {
    code = std::apply([&](auto... each) { return test(native, all, each...); }, all);
    return flag != 0 || code != MPI_SUCCESS;
  });
  return code == MPI_SUCCESS && flag == 0 ? not_done : code;
}

/// Calls `test(&flag)`, which tests the requests of a blocking call on `comm`, several times.
template <class Test>
inline int poll(MPI_Comm comm, const Test& test) {
  return reported_to(comm, [&] {
    Code result{MPI_SUCCESS};
    transport::poll_in_a_row([&] {
      int flag = 0;
      result.code = test(&flag);
      return flag != 0 || result.code != MPI_SUCCESS;
    });
    return result;
  });
}

template <class Native>
[[gnu::always_inline]] inline int waitany(const Native& native, int count, MPI_Request* requests, int* index,
                                          MPI_Status* status) {
  int flag = -1; // as in wait()
  const int code =
      testany(native, kept(count, requests, index, &flag, status), count, requests, index, &flag, status);
  return code == MPI_SUCCESS && flag == 0 ? not_done : code;
}

template <class Native>
inline int testsome(const Native& native, const auto&, int count, MPI_Request* requests, int* completed,
                    int* indices, MPI_Status* statuses) {
  if (count <= 0 || requests == nullptr || !ranks::valid_status(statuses)) return not_done;
  const auto size = static_cast<std::size_t>(count);
  Several<MPI_Request, few> names(size);
  std::copy_n(requests, size, names.data());
  Several<MPI_Status, few> own(statuses == MPI_STATUSES_IGNORE ? size : 0);
  MPI_Status* const stored = statuses == MPI_STATUSES_IGNORE ? own.data() : statuses;
  const int code = native(count, requests, completed, indices, stored);
  if (code == MPI_SUCCESS && *completed == 0) [[likely]]
    return code;
  return detail::settle_some(names.data(), count, requests, completed, indices, stored, code);
}

template <class Native>
inline int waitsome(const Native& native, int count, MPI_Request* requests, int* completed, int* indices,
                    MPI_Status* statuses) {
  const int code = testsome(native, nullptr, count, requests, completed, indices, statuses);
  return code == MPI_SUCCESS && *completed == 0 ? not_done : code;
}

/// Returns `not_done` also if the library's unexpected queue has a message, or the message may be an RTS.
template <class Native>
[[gnu::always_inline]] inline int iprobe(const Native& native, const auto&, int source, int tag,
                                         MPI_Comm comm, int* flag, MPI_Status* status) {
  if (source == MPI_PROC_NULL || flag == nullptr || unexpected::any() || !ranks::valid_status(status))
    return not_done;
  peers::be_ready(0);
  MPI_Status seen{}; // MPI may leave a part as it was
  const int code = native(source, tag, comm, flag, &seen);
  if (code != MPI_SUCCESS || *flag <= 0) [[likely]]
    return code;
  if (Rts::may_have(bytes_of(seen))) return not_done;
  give(status, seen);
  return code;
}

/// Completes requests one after the other, and counts in `done` those that have finished. Returns MPI_SUCCESS
/// if all have. After an error, and if this returns `not_done`, the caller waits for the remaining ones.
template <class Native>
inline int waitall(const Native& native, int count, MPI_Request* requests, MPI_Status* statuses, int& done) {
  if (count <= 0 || !ranks::valid_status(statuses)) return not_done;
  for (MPI_Status own; done < count; ++done) {
    MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? &own : &statuses[done];
    const int code = wait(native, &requests[done], status);
    if (code == not_done) return code;
    status->MPI_ERROR = code;
    if (code != MPI_SUCCESS) return detail::fail(code, count, ++done);
  }
  return MPI_SUCCESS;
}

/// Receives the data of an RTS that an eager receive has received. Corrects the status; returns the code.
int receive_announced(team::Member& member, const EagerReceive& receive, MPI_Comm comm, MPI_Status& arrived);

/// If some requests may be receives, returns a result only if not all are complete.
int testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses);

} // namespace helper::message::quick
