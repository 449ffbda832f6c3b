// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <utility>

#include "team/on_jump.hpp"

/// An error handler may leave the MPI function that calls it, by longjmp or an exception. So MPI gets a
/// stand-in for each handler (interpose/error_handlers.cpp). Within a call of the library, the stand-in only
/// records the error. The call of the library calls the handler at its end, when no cleanup is left.
namespace helper::ranks::error_handlers {

/// The first error in the call that a thread has made.
struct Postponed {
  bool is_in_call = false;
  void (*call_handler)(Postponed& error, int* code) = nullptr; ///< nullptr if there is no error
  std::array<std::byte, sizeof(void*)> handle{};
  int code = 0;
};

/// The state of the calling thread.
inline thread_local constinit Postponed postponed;

/// Ends a call that returns `code`. If an error was recorded, calls its handler with `code`, or with the
/// recorded code if `code` is MPI_SUCCESS. Returns `code`, which the handler may change if it is an error.
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
    const team::OnJump jump(forget); // out of a user-defined reduction
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

/// Returns call_and_report(call); only `call()` if the program has no error handlers, or within another call.
template <class Call>
[[gnu::always_inline]] inline int with_handlers_last(const Call& call) {
  if (team::OnJump::may_happen() && !postponed.is_in_call) [[unlikely]]
    return call_and_report(call);
  return call();
}

} // namespace helper::ranks::error_handlers
