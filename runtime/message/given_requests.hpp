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

/// Memory for `count` elements, which are not initialised. It is on the stack if they are few.
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

/// Returns whether MPI may complete receives for which nothing has arrived, so that the library looks
/// afterwards. With MPI_THREAD_MULTIPLE, another thread could get a request with the same handle meanwhile.
/// The program must store the request of a receive that goes on (quirk loses_fortran_handles).
inline bool may_give_receives() noexcept {
  return gives_receives;
}

/// Returns whether MPI cannot tell if a request is complete, or what it is.
bool is_ours(MPI_Request request);

/// These return false only if MPI alone knows the requests. They take no lock.
bool may_be_ours(MPI_Request request) noexcept;
bool may_be_ours(int count, const MPI_Request* requests) noexcept;

/// Returns whether one of the requests is_ours().
bool any_ours(int count, const MPI_Request* requests);

/// Returns whether a function that completes some of several requests can store its results in these arrays.
bool valid_places(const int* completed, const int* indices, const MPI_Status* statuses);

/// Returns whether a native call that returned `code` has completed requests, of which some may have failed.
bool has_completed(int code);

/// Sets the errors of statuses that a native function has returned with MPI_SUCCESS: it has not.
void set_no_errors(int count, MPI_Status* statuses);

/// Returns false only if MPI is given the request where may_give_receives(). Takes no lock.
bool may_be_withheld(MPI_Request request) noexcept;

/// The requests that MPI is given.
enum class Given : std::uint8_t {
  natives, ///< those without operations
  receives ///< also receives for which nothing has arrived, if they may be passed to MPI
};

/// The requests of a call, some of which have operations, or are inactive and unknown to MPI. MPI gets
/// MPI_REQUEST_NULL in the place of requests that only the library knows.
class GivenRequests {
public:
  GivenRequests(int count, MPI_Request* requests, Given given);

  /// Returns whether the call's requests can be passed to MPI unchanged, without a look at them.
  bool all_native() const noexcept { return all_native_; }

  /// Returns whether any operation is withheld from MPI.
  bool is_active() const noexcept { return is_active_; }

  /// What MPI is given.
  MPI_Request* natives() noexcept { return given_.data(); }

  /// Advances the operations that are withheld. MPI need not make progress. Returns whether all are complete.
  bool advance(team::Member& member) { return withheld_.empty() || advance_withheld(member); }

  /// Returns the first complete operation that is withheld, from index `at` on, and sets `at`; or nullptr.
  NonblockingOperation* next_complete(int& at) const {
    return withheld_.empty() ? nullptr : next_withheld(at);
  }

  /// Calls `native(requests)`, which completes requests, with the requests that MPI gets. Returns its code.
  /// The caller calls settle_one(), settle_some() or settle_all() next.
  template <class Native>
  int natively(const Native& native) {
    const int code = native(given_.data());
    if (!gives_receives_) give_back();
    return code;
  }

  /// Notes that MPI has completed the request of that index, with this status. Returns false if its operation
  /// continues. Throws MpiError, as settle_some() does.
  bool settle_one(team::Member& member, int index, const MPI_Status& status);

  /// Notes that MPI has completed these requests, with errors in their statuses, and drops those whose
  /// operations continue. Returns how many are left.
  int settle_some(team::Member& member, int completed, int* indices, MPI_Status* statuses);

  /// Notes that MPI may have completed any of the requests, with errors.
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
  std::vector<Withheld> withheld_; // by index
  bool is_active_ = false;
};

} // namespace helper::message
