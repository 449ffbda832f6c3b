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
/// Relaxed: the program orders the making of a handler before the calls that call it. `Handle` is MPI_Comm,
/// MPI_Win, MPI_File or MPI_Session.
template <class Handle, class Handler = void(Handle*, int*, ...)>
constinit std::array<std::atomic<Handler*>, stand_ins> handlers{};

/// Calls the handler, or notes its error within a call of the library.
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

/// Returns the stand-in for `handler`, and expects handlers to be called from now on. Returns `handler`
/// itself if all stand-ins are in use.
template <class Handle, class Handler>
Handler* stand_in_for(Handler* handler) noexcept {
  static constexpr auto all = stand_ins_at<Handle>(std::make_index_sequence<stand_ins>());
  if (handler == nullptr) return handler; // MPI says so
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

} // namespace

extern "C" {

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  return PMPI_Comm_create_errhandler(stand_in_for<MPI_Comm>(function), errhandler);
}

int MPI_Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler) {
  return PMPI_Win_create_errhandler(stand_in_for<MPI_Win>(function), errhandler);
}

int MPI_File_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* errhandler) {
  return PMPI_File_create_errhandler(stand_in_for<MPI_File>(function), errhandler);
}

#if MPI_VERSION >= 4
int MPI_Session_create_errhandler(MPI_Session_errhandler_function* function, MPI_Errhandler* errhandler) {
  return PMPI_Session_create_errhandler(stand_in_for<MPI_Session>(function), errhandler);
}
#endif

#ifdef MPICH_NUMVERSION // MPI 3 has removed the function, but MPICH still has it
int MPI_Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  return PMPI_Errhandler_create(stand_in_for<MPI_Comm>(function), errhandler);
}
#endif

} // extern "C"
