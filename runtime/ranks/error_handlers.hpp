// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <utility>

#include "team/on_jump.hpp"

/// An error handler may leave the MPI function that calls it, by longjmp or an exception. So MPI gets a
/// stand-in for each handler (interpose/error_handlers.cpp). During a call of the library, the stand-in only
/// records the error. At the end of the call, when no cleanup is left, the library calls the handler.
namespace helper::ranks::error_handlers {

/// The first error in a thread's present call of the library.
struct Postponed {
  bool is_in_call = false;
  void (*call_handler)(Postponed& error, int* code) = nullptr; ///< nullptr if there is no error
  std::array<std::byte, sizeof(void*)> handle{};
  int code = 0;
};

/// The state of the calling thread.
inline thread_local constinit Postponed postponed;

/// Ends a call that returns `code`. If an error was recorded, calls its handler with `code`, or with the
/// recorded code if `code` is MPI_SUCCESS. Returns `code`, or what the handler made of it if it is an error.
inline int end_call(int code) {
  Postponed error = std::exchange(postponed, {});
  if (error.call_handler == nullptr) return code;
  int shown = code != MPI_SUCCESS ? code : error.code;
  error.call_handler(error, &shown);
  return code != MPI_SUCCESS ? shown : code;
}

/// Performs `call()`, then calls the error handler if an error was recorded. Returns the code of end_call().
template <class Call>
[[gnu::noinline]] int call_and_report(const Call& call) {
  int code = 0;
  {
    const auto forget = [] { postponed = {}; };
    const team::OnJump jump(forget); // a longjmp may leave a user-defined reduction
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

/// Returns `call()` within another call or if the program has no error handlers, else call_and_report(call).
template <class Call>
[[gnu::always_inline]] inline int with_handlers_last(const Call& call) {
  if (team::OnJump::may_happen() && !postponed.is_in_call) [[unlikely]]
    return call_and_report(call);
  return call();
}

} // namespace helper::ranks::error_handlers
