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
#include "message/operation.hpp"

/// Completes requests where MPI can be given all of a call as they are: such a call costs little more than
/// the native function. Only where MPI has completed any does the library look what that was.
///
/// The functions do what the MPI functions of their names do, and count what is over (transport/traffic.hpp).
/// They return `not_done`, having completed nothing, if the functions in message.hpp are to be called. Those
/// that wait look once: they return the same if they find nothing.
namespace helper::message::quick {

/// No code of MPI's. A std::optional would go through memory, in parts, which takes longer than the rest.
inline constexpr int not_done = std::numeric_limits<int>::min();

/// The requests of a call, as they were before it. A few take no allocation.
class Names {
public:
  Names(int count, const MPI_Request* requests) noexcept
      : many_(count <= few ? nullptr : new (std::nothrow) MPI_Request[static_cast<std::size_t>(count)]),
        names_(count <= few ? few_.data() : many_.get()) {
    if (names_ != nullptr) std::copy_n(requests, count, names_);
  }

  /// Returns false if there is no memory.
  bool are_there() const noexcept { return names_ != nullptr; }
  MPI_Request operator[](int index) const noexcept { return names_[index]; }

private:
  static constexpr int few = 64;
  std::array<MPI_Request, few> few_;
  const std::unique_ptr<MPI_Request[]> many_;
  MPI_Request* const names_;
};

/// Returns whether MPI can be given these requests. Those that have operations are then receives that nothing
/// has come for.
inline bool can_be_given(int count, const MPI_Request* requests) noexcept {
  if (count <= 0 || requests == nullptr) return false;
  if (may_give_receives()) return !requests::withheld_names.any() && !persistent::collectives.any();
  return !may_be_ours(count, requests);
}

namespace detail {

// These learn what MPI has completed, in a call that returned `code`. The statuses are those of MPI.

int settle_one(team::Member& member, MPI_Request name, MPI_Request& request, int code,
               const MPI_Status& status);
int settle_any(team::Member& member, const Names& names, int count, MPI_Request* requests, const int* index,
               const int* flag, MPI_Status* status, MPI_Status* stored, int code);
int settle_some(team::Member& member, const Names& names, int count, MPI_Request* requests, int* completed,
                int* indices, MPI_Status* statuses, int code);

} // namespace detail

inline int test(team::Member& member, MPI_Request* request, int* flag, MPI_Status* status) {
  if (!can_be_given(1, request) || flag == nullptr || !transport::valid_status(status)) return not_done;
  const MPI_Request name = *request;
  MPI_Status own;
  MPI_Status* const stored = status == MPI_STATUS_IGNORE ? &own : status;
  const int code = PMPI_Test(request, flag, stored);
  if (*request == name) [[likely]] // it is not complete, or persistent
    return code;
  return detail::settle_one(member, name, *request, code, *stored);
}

inline int testany(team::Member& member, int count, MPI_Request* requests, int* index, int* flag,
                   MPI_Status* status) {
  if (!can_be_given(count, requests) || index == nullptr || flag == nullptr ||
      !transport::valid_status(status))
    return not_done;
  const Names names(count, requests);
  if (!names.are_there()) return not_done;
  MPI_Status own;
  MPI_Status* const stored = status == MPI_STATUS_IGNORE ? &own : status;
  const int code = PMPI_Testany(count, requests, index, flag, stored);
  if (code == MPI_SUCCESS && *flag == 0) [[likely]]
    return code;
  return detail::settle_any(member, names, count, requests, index, flag, status, stored, code);
}

inline int waitany(team::Member& member, int count, MPI_Request* requests, int* index, MPI_Status* status) {
  int flag = -1; // so it remains where there was an error, of which MPICH 5.0.2 returns MPI_SUCCESS
  const int code = testany(member, count, requests, index, &flag, status);
  return code == MPI_SUCCESS && flag == 0 ? not_done : code;
}

inline int testsome(team::Member& member, int count, MPI_Request* requests, int* completed, int* indices,
                    MPI_Status* statuses) {
  if (!can_be_given(count, requests) || completed == nullptr || indices == nullptr ||
      !transport::valid_status(statuses))
    return not_done;
  const Names names(count, requests);
  const bool has_own = statuses == MPI_STATUSES_IGNORE && may_give_receives();
  Several<MPI_Status, 64> own(has_own ? static_cast<std::size_t>(count) : 0);
  MPI_Status* const stored = has_own ? own.data() : statuses;
  if (!names.are_there() || (has_own && stored == nullptr)) return not_done;
  const int code = PMPI_Testsome(count, requests, completed, indices, stored);
  if (code == MPI_SUCCESS && *completed == 0) [[likely]]
    return code;
  return detail::settle_some(member, names, count, requests, completed, indices, stored, code);
}

inline int waitsome(team::Member& member, int count, MPI_Request* requests, int* completed, int* indices,
                    MPI_Status* statuses) {
  const int code = testsome(member, count, requests, completed, indices, statuses);
  return code == MPI_SUCCESS && *completed == 0 ? not_done : code;
}

/// Finds only that not all are complete.
int testall(team::Member& member, int count, MPI_Request* requests, int* flag, MPI_Status* statuses);

} // namespace helper::message::quick
