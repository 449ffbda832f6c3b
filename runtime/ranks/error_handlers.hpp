// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <utility>

#include "team/on_jump.hpp"

/// An error handler may leave the MPI function that calls it, by longjmp or an exception. So MPI gets a
/// stand-in for each handler (interpose/error_handlers.cpp), which only records the error within a call of
/// the library. The call ends by calling the handler, when no cleanup is left.
namespace helper::ranks::error_handlers {

/// The first error of the call that this thread is in.
struct Postponed {
  bool is_in_call = false;
  void (*call_handler)(Postponed& error, int* code) = nullptr; ///< nullptr if there is no error
  std::array<std::byte, sizeof(void*)> handle{};
  int code = 0;
};

/// The error that the call of this thread has to report.
inline thread_local constinit Postponed postponed;

/// Ends a call: calls the handler of its first error, if any, with `code`. Returns the code that it leaves.
inline int end_call(int code) {
  Postponed error = std::exchange(postponed, {});
  if (error.call_handler == nullptr) return code;
  int shown = code != MPI_SUCCESS ? code : error.code;
  error.call_handler(error, &shown);
  return code != MPI_SUCCESS ? shown : code;
}

/// Returns the code of `call()`, after the error handler has been called.
template <class Call>
[[gnu::noinline]] int call_and_report(const Call& call) {
  int code = 0;
  {
    const auto forget = [] { postponed = {}; };
    const team::OnJump jump(forget); // of a user-defined reduction
    postponed.is_in_call = true;
    try {
      code = call();
    } catch (...) {
      forget();
      throw;
    }
  }
  return end_call(code);
}

/// Does the same. Without handlers, or within another call, it only returns `call()`.
template <class Call>
[[gnu::always_inline]] inline int with_handlers_last(const Call& call) {
  if (team::OnJump::may_happen() && !postponed.is_in_call) [[unlikely]]
    return call_and_report(call);
  return call();
}

} // namespace helper::ranks::error_handlers
