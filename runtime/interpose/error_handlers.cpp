// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Gives MPI stand-ins for the program's error handlers.

#include "ranks/error_handlers.hpp"

#include <mpi.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "team/detours.hpp"

namespace {

using helper::ranks::error_handlers::Postponed;
using helper::ranks::error_handlers::postponed;

constexpr std::size_t stand_ins = 64;

/// The handlers that have stand-ins. None is removed: MPI may still use a handler that the program has freed.
/// Relaxed: the program itself makes a handler before it makes calls that may call the handler. `Handle` is
/// MPI_Comm, MPI_Win, MPI_File or MPI_Session.
template <class Handle, class Handler = void(Handle*, int*, ...)>
constinit std::array<std::atomic<Handler*>, stand_ins> handlers{};

/// Calls the program's handler. Within a call of the library, only notes the call's first error.
template <class Handle, std::size_t Index>
void stand_in(Handle* handle, int* code, ...) {
  if (!postponed.is_in_call) return handlers<Handle>[Index].load(std::memory_order_relaxed)(handle, code);
  if (postponed.call_handler != nullptr) return;
  postponed.call_handler = [](Postponed& error, int* shown) {
    Handle of;
    std::memcpy(&of, error.handle.data(), sizeof of);
    handlers<Handle>[Index].load(std::memory_order_relaxed)(&of, shown);
  };
  std::memcpy(postponed.handle.data(), handle, sizeof *handle);
  postponed.code = *code;
}

template <class Handle, std::size_t... At>
constexpr auto stand_ins_at(std::index_sequence<At...>) {
  return std::array{&stand_in<Handle, At>...};
}

/// Returns the stand-in for `handler`, or `handler` if no stand-in is free. From now on handlers may jump.
template <class Handle, class Handler>
Handler* stand_in_for(Handler* handler) noexcept {
  static constexpr auto all = stand_ins_at<Handle>(std::make_index_sequence<stand_ins>());
  if (handler == nullptr) return handler; // MPI reports the error
  helper::team::OnJump::expect();
  helper::team::detours::add();
  for (std::size_t at = 0; at < stand_ins; ++at) {
    Handler* taken = nullptr;
    if (handlers<Handle>[at].compare_exchange_strong(taken, handler, std::memory_order_relaxed) ||
        taken == handler)
      return all[at];
  }
  return handler;
}

/// Does what `Create` does, which makes an error handler for handles of type `Handle`.
template <auto Create, class Handle, class Handler>
int created(Handler* handler, MPI_Errhandler* made) {
  return Create(stand_in_for<Handle>(handler), made);
}

} // namespace

#include "interpose/error_handlers.inc"
