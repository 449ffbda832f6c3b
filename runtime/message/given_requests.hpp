// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "message/requests.hpp"

namespace helper::message {

/// Memory for `count` elements that are not initialised. Up to `few` elements are on the stack.
template <class T, std::size_t few>
class Several {
public:
  explicit Several(std::size_t count)
      : many_(count <= few ? nullptr : std::make_unique_for_overwrite<T[]>(count)) {}
  T* data() noexcept { return many_ != nullptr ? many_.get() : few_.data(); }

private:
  std::array<T, few> few_;
  std::unique_ptr<T[]> many_;
};

/// What may_give_receives() returns. start() sets it.
inline constinit bool gives_receives = false;

/// Returns whether MPI may complete receives for which nothing has arrived. The library then looks for an
/// RTS. False at MPI_THREAD_MULTIPLE: before the look, another thread's request could get the same handle.
/// False if the program may lose the new request of an announced message: quirk loses_fortran_handles.
inline bool may_give_receives() noexcept {
  return gives_receives;
}

/// Returns whether the request is an eager receive, has an operation, or persistent::is_unknown_to_mpi().
bool is_ours(MPI_Request request);

/// Return false only if MPI alone can complete the requests. They take no lock.
bool may_be_ours(MPI_Request request) noexcept;
bool may_be_ours(int count, const MPI_Request* requests) noexcept;

/// Returns whether one of the requests is_ours().
bool any_ours(int count, const MPI_Request* requests);

/// Returns whether a function that completes some of several requests can store its results in these arrays.
bool valid_places(const int* completed, const int* indices, const MPI_Status* statuses);

/// Returns whether a native call that returned `code` has completed requests. Some of them may have failed.
bool has_completed(int code);

/// Sets MPI_ERROR of the statuses to MPI_SUCCESS: a native function that returns MPI_SUCCESS does not set it.
void set_no_errors(int count, MPI_Status* statuses);

/// Returns false only if MPI may complete the request, provided that may_give_receives(). Takes no lock.
bool may_be_withheld(MPI_Request request) noexcept;

/// Which requests of a call MPI gets.
enum class Given : std::uint8_t {
  natives, ///< those without operations
  receives ///< also receives for which nothing has arrived, if may_give_receives()
};

/// The requests of a call. MPI gets a copy of the array. In the copy MPI_REQUEST_NULL replaces the requests
/// that MPI must not complete: these requests are *withheld*.
class GivenRequests {
public:
  GivenRequests(int count, MPI_Request* requests, Given given);

  /// Returns whether MPI can get all requests of the call unchanged. Then this object has no copy of them.
  bool all_native() const noexcept { return all_native_; }

  /// Returns whether any withheld request has an operation. Otherwise the withheld requests are inactive.
  bool is_active() const noexcept { return is_active_; }

  /// The copy for MPI.
  MPI_Request* natives() noexcept { return given_.data(); }

  /// Advances the withheld operations, perhaps without calling MPI. Returns whether all are complete.
  bool advance(team::Member& member) { return withheld_.empty() || advance_withheld(member); }

  /// Returns the first complete withheld operation from index `at` on, and sets `at` to it; or nullptr.
  NonblockingOperation* next_complete(int& at) const {
    return withheld_.empty() ? nullptr : next_withheld(at);
  }

  /// Calls `native(requests)`, a native function that completes requests, with the copy for MPI. Returns its
  /// code. The caller calls settle_one(), settle_some() or settle_all() next.
  template <class Native>
  int natively(const Native& native) {
    const int code = native(given_.data());
    if (!gives_receives_) give_back();
    return code;
  }

  /// Notes that MPI has completed request `index` with this status. Returns false if the operation of the
  /// request continues. Throws MpiError if a new request for it cannot be made.
  bool settle_one(team::Member& member, int index, const MPI_Status& status);

  /// Notes that MPI has completed these requests, with errors in their statuses. Removes a request from both
  /// arrays if its operation continues. Returns how many are left. Throws MpiError like settle_one().
  int settle_some(team::Member& member, int completed, int* indices, MPI_Status* statuses);

  /// Notes that a native call has returned an error. It may have completed any of the requests.
  void settle_all(int code);

  /// Returns whether the settle functions need statuses.
  bool gives_receives() const noexcept { return gives_receives_; }

private:
  struct Withheld {
    int index;
    std::shared_ptr<NonblockingOperation> operation; // nullptr for an inactive request
  };

  bool is_copy_cheaper() const noexcept;
  void sort_out(int index);
  void give_back();
  bool advance_withheld(team::Member& member);
  NonblockingOperation* next_withheld(int& at) const;
  bool is_withheld(int index) const;
  std::shared_ptr<NonblockingOperation> take(int index, int code, const MPI_Status& status);
  int go_on(team::Member& member, int index, const std::shared_ptr<NonblockingOperation>& operation);

  const int count_;
  MPI_Request* const requests_; // the caller's
  const bool gives_receives_;
  const bool all_native_;
  Several<MPI_Request, 64> given_;
  std::vector<Withheld> withheld_; // in the order of indices
  bool is_active_ = false;
};

} // namespace helper::message
