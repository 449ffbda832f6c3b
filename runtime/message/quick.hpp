// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>

#include "message/given_requests.hpp"
#include "message/message.hpp"
#include "message/peers.hpp"
#include "message/requests.hpp"
#include "message/unexpected.hpp"

/// Completes requests where MPI can be given all of a call as they are: such a call costs little more than
/// the native function. Only where MPI has completed any does the library look what that was.
///
/// The functions do what the MPI functions of their names do, by these, `native`, and count what is over
/// (shm/traffic.hpp). They return `not_done`, having completed nothing, if the functions in message.hpp
/// are to be called. Those that wait look once: they return the same if they find nothing.
namespace helper::message::quick {

/// No code of MPI's. A std::optional would go through memory, in parts, which takes longer than the rest.
inline constexpr int not_done = std::numeric_limits<int>::min();

/// How many requests a call may have for their names to be kept on the stack.
inline constexpr int few = 64;

/// The requests of a call, as they were before it: a few, or many, for which there may be no memory.
class Few {
public:
  Few(int count, const MPI_Request* requests) noexcept {
    for (int index = 0; index < count; ++index) {
      names_[static_cast<std::size_t>(index)] = requests[index];
      asm volatile("" ::: "memory"); // a call of memmove() would take longer
    }
  }
  const MPI_Request* data() const noexcept { return names_.data(); }

private:
  std::array<MPI_Request, few> names_;
};

class Many {
public:
  Many(int count, const MPI_Request* requests) noexcept
      : names_(new (std::nothrow) MPI_Request[static_cast<std::size_t>(count)]) {
    if (names_ != nullptr) std::copy_n(requests, count, names_.get());
  }
  const MPI_Request* data() const noexcept { return names_.get(); }

private:
  const std::unique_ptr<MPI_Request[]> names_;
};

/// Returns whether MPI can be given these requests. Those that have operations are then receives that nothing
/// has come for.
inline bool can_be_given(int count, const MPI_Request* requests) noexcept {
  if (count <= 0 || requests == nullptr) return false;
  if (may_give_receives()) [[likely]]
    return !requests::withheld_names.any() && !persistent::collectives.any();
  return !may_be_ours(count, requests);
}

namespace detail {

// These learn what MPI has completed, in a call that returned `code`. The statuses are those of MPI.

int settle_one(team::Member& member, MPI_Request name, MPI_Request& request, int code,
               const MPI_Status& status);
int settle_any(team::Member& member, const MPI_Request* names, int count, MPI_Request* requests,
               const int* index, const int* flag, MPI_Status* status, MPI_Status* stored, int code);
int settle_some(team::Member& member, const MPI_Request* names, int count, MPI_Request* requests,
                int* completed, int* indices, MPI_Status* statuses, int code);

int testany_of_many(team::Member& member, int count, MPI_Request* requests, int* index, int* flag,
                    MPI_Status* status);
int testsome_of_many(team::Member& member, int count, MPI_Request* requests, int* completed, int* indices,
                     MPI_Status* statuses);

} // namespace detail

template <class Native>
[[gnu::always_inline]] inline int test(const Native& native, team::Member& member, MPI_Request* request,
                                       int* flag, MPI_Status* status) {
  if (!can_be_given(1, request) || flag == nullptr || !ranks::valid_status(status)) return not_done;
  const MPI_Request name = *request;
  MPI_Status own;
  MPI_Status* const stored = status == MPI_STATUS_IGNORE ? &own : status;
  const int code = native(request, flag, stored);
  if (*request == name) [[likely]] // it is not complete, or persistent
    return code;
  return detail::settle_one(member, name, *request, code, *stored);
}

/// Does what testany() does, by `native`, which is PMPI_Testany. The requests are `names` before.
template <class Native>
[[gnu::always_inline]] inline int testany_of(const Native& native, const MPI_Request* names,
                                             team::Member& member, int count, MPI_Request* requests,
                                             int* index, int* flag, MPI_Status* status) {
  if (names == nullptr) return not_done;
  MPI_Status own;
  MPI_Status* const stored = status == MPI_STATUS_IGNORE ? &own : status;
  const int code = native(count, requests, index, flag, stored);
  if (code == MPI_SUCCESS && *flag == 0) [[likely]]
    return code;
  return detail::settle_any(member, names, count, requests, index, flag, status, stored, code);
}

template <class Native>
[[gnu::always_inline]] inline int testany(const Native& native, team::Member& member, int count,
                                          MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  if (!can_be_given(count, requests) || index == nullptr || flag == nullptr || !ranks::valid_status(status))
    return not_done;
  if (count > few) [[unlikely]]
    return detail::testany_of_many(member, count, requests, index, flag, status);
  const Few names(count, requests);
  return testany_of(native, names.data(), member, count, requests, index, flag, status);
}

template <class Native>
inline int waitany(const Native& native, team::Member& member, int count, MPI_Request* requests, int* index,
                   MPI_Status* status) {
  int flag = -1; // so it remains where there was an error, of which an MPI may return MPI_SUCCESS
  const int code = testany(native, member, count, requests, index, &flag, status);
  return code == MPI_SUCCESS && flag == 0 ? not_done : code;
}

template <class Native>
[[gnu::always_inline]] inline int testsome_of(const Native& native, const MPI_Request* names,
                                              MPI_Status* stored, team::Member& member, int count,
                                              MPI_Request* requests, int* completed, int* indices) {
  if (names == nullptr) return not_done;
  const int code = native(count, requests, completed, indices, stored);
  if (code == MPI_SUCCESS && *completed == 0) [[likely]]
    return code;
  return detail::settle_some(member, names, count, requests, completed, indices, stored, code);
}

template <class Native>
[[gnu::always_inline]] inline int testsome(const Native& native, team::Member& member, int count,
                                           MPI_Request* requests, int* completed, int* indices,
                                           MPI_Status* statuses) {
  if (!can_be_given(count, requests) || completed == nullptr || indices == nullptr ||
      !ranks::valid_status(statuses))
    return not_done;
  if (count > few) [[unlikely]]
    return detail::testsome_of_many(member, count, requests, completed, indices, statuses);
  const Few names(count, requests);
  std::array<MPI_Status, few> own;
  MPI_Status* const stored = statuses == MPI_STATUSES_IGNORE ? own.data() : statuses;
  return testsome_of(native, names.data(), stored, member, count, requests, completed, indices);
}

template <class Native>
inline int waitsome(const Native& native, team::Member& member, int count, MPI_Request* requests,
                    int* completed, int* indices, MPI_Status* statuses) {
  const int code = testsome(native, member, count, requests, completed, indices, statuses);
  return code == MPI_SUCCESS && *completed == 0 ? not_done : code;
}

/// Returns `not_done` also if a message waits in front of MPI, or what has come may be an RTS.
template <class Native>
[[gnu::always_inline]] inline int iprobe(const Native& native, int source, int tag, MPI_Comm comm, int* flag,
                                         MPI_Status* status) {
  if (source == MPI_PROC_NULL || flag == nullptr || unexpected::any() || !ranks::valid_status(status))
    return not_done;
  peers::be_ready(0);
  MPI_Status seen;
  const int code = native(source, tag, comm, flag, &seen);
  if (code != MPI_SUCCESS || *flag <= 0) [[likely]]
    return code;
  if (Rts::may_have(bytes_of(seen))) return not_done;
  give(status, seen);
  return code;
}

/// Finds only that not all are complete.
int testall(team::Member& member, int count, MPI_Request* requests, int* flag, MPI_Status* statuses);

} // namespace helper::message::quick
