// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <atomic>
#include <string>
#include <string_view>

#include "ranks/mpi_error.hpp"
#include "ranks/request.hpp"
#include "team/team.hpp"
#include "transport/message.hpp"

/// How a thread waits in MPI and meanwhile runs chunks of its team.
namespace helper::message {

/// Returns the text of a stall report: `member` waits in `function`, on `comm` unless it is MPI_COMM_NULL.
std::string describe_wait(const team::Member& member, std::string_view function, MPI_Comm comm);

/// While this object exists, MPI returns the errors of requests, as with MPI_ERRORS_RETURN. Otherwise some
/// MPIs report them to the error handler of MPI_COMM_WORLD, whatever the request's communicator (quirk
/// errors_to_world). The object does nothing in these cases: `comm` is MPI_COMM_WORLD or MPI_COMM_NULL; the
/// level is MPI_THREAD_MULTIPLE (errors of other threads would go unnoticed); MPI_COMM_WORLD does not exist;
/// this MPI reports errors to the request's communicator.
class ErrorsReturn {
public:
  explicit ErrorsReturn(MPI_Comm comm) noexcept;
  ~ErrorsReturn();
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;

  bool is_set() const noexcept { return world_ != MPI_ERRHANDLER_NULL; }

  /// Returns whether an object with is_set() exists. Relaxed: if so, only one thread at a time is in MPI.
  static bool any() noexcept { return set_.load(std::memory_order_relaxed) != 0; }

private:
  static inline constinit std::atomic<int> set_{0};

  MPI_Errhandler world_ = MPI_ERRHANDLER_NULL; // the handler that MPI_COMM_WORLD had before
};

/// Does what MPI_Request_get_status does. If MPI would report an error to unnamed_comm() (quirk
/// self_hears_once_set), this returns the error without calling a handler, and the call that completes the
/// request reports it. Other MPIs call an error handler of the program here, which may throw.
int look_at_native(MPI_Request request, int* flag, MPI_Status* status);

/// Stores the status of a single completion or probe, unless it is ignored. MPI_ERROR stays unchanged.
inline void give(MPI_Status* status, MPI_Status result) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  result.MPI_ERROR = status->MPI_ERROR;
  *status = result;
}

/// The result code of an operation. MPI reports its own errors.
struct Code {
  int code;
  bool is_own = false; ///< true for an error of the library, which has not been reported
};

/// Returns the code that `call()` returns, or that it throws as an MpiError. Does not report errors.
template <class Call>
int code_of(const Call& call) {
  try {
    return call();
  } catch (const ranks::MpiError& error) {
    return error.code();
  }
}

/// Returns the code of `test()`, which tests the requests of a call and returns a Code. Reports an error to
/// `comm`, the communicator of the call. If `comm` is MPI_COMM_NULL, reports it as ranks::Reporting says.
template <class Test>
int reported_to(MPI_Comm comm, const Test& test) {
  bool is_unreported = false;
  int code = MPI_SUCCESS;
  {
    const ErrorsReturn errors(comm);
    const Code result = test();
    code = result.code;
    is_unreported = errors.is_set() || result.is_own;
  }
  if (code != MPI_SUCCESS && is_unreported)
    ranks::report_to(comm == MPI_COMM_NULL ? ranks::unnamed_comm() : comm, code);
  return code;
}

/// Calls `test(&flag)` until it fails or sets the flag, and runs chunks in between. Whenever `test` leaves
/// the flag 0 it has called MPI. Returns the code of the last call.
template <class Test>
int wait_until(team::Member& member, std::string_view function, MPI_Comm comm, const Test& test) {
  int code = MPI_SUCCESS;
  if (trace::Track* const track = member.track()) track->went(trace::Way::lent);
  member.lend_until(
      [&] {
        return transport::poll_in_a_row([&] {
          // `flag` stays -1 after an error for which MPI returns MPI_SUCCESS: quirk success_after_error.
          int flag = -1;
          code = test(&flag);
          return flag != 0 || code != MPI_SUCCESS;
        });
      },
      [&] { return describe_wait(member, function, comm); }, team::Woken::by_mpi);
  return code;
}

/// Waits like wait_until(), until ranks::over_by() says that `request` has finished. Returns the first error.
template <class Test>
int wait_over(team::Member& member, std::string_view function, MPI_Comm comm, const MPI_Request& request,
              const Test& test) {
  int failed = MPI_SUCCESS;
  wait_until(member, function, comm, [&](int* flag) {
    *flag = ranks::over_by(test, request, failed) ? 1 : 0;
    return MPI_SUCCESS;
  });
  return failed;
}

/// Waits for `request` with MPI_Test, and runs chunks meanwhile. Reports an error to `comm` and returns it.
inline int wait_for(team::Member& member, std::string_view function, MPI_Comm comm, MPI_Request& request,
                    MPI_Status* status) {
  return wait_over(member, function, comm, request, [&](int* done) {
    return reported_to(comm, [&] { return Code{PMPI_Test(&request, done, status)}; });
  });
}

} // namespace helper::message
