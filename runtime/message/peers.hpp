// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstdint>

/// The processes to which messages may be announced: processes of which a thread has received or probed
/// through the library. To have the library is not enough: a program may look up the functions of MPI, or a
/// tool may call them, and receive an RTS as data. Each process tells all processes with which it has streams
/// that it is ready, and any other when it first receives a possibly large message from it.
namespace helper::message::peers {

/// MPI_Init calls this. Unless `announce`, no message is announced to this process or by it.
void start(bool announce);

namespace detail {
// start() writes it.
inline constinit bool may_announce = true;
// Whether be_ready() has something left to do. Cleared after each start() by the thread that has done it, or
// if there is nothing to do. Relaxed: a thread that sees it set checks again.
inline constinit std::atomic<bool> may_get_ready{true};
void get_ready(std::uint64_t own);
} // namespace detail

/// What start() was told.
inline bool announce() noexcept {
  return detail::may_announce;
}

/// Returns whether messages to the rank of MPI_COMM_WORLD may be announced. Threads in MPI call it.
bool is_ready(int world_rank) noexcept;

/// Notes that this process has a team, and receives through the library. Any thread may call it.
void expect_rts() noexcept;

/// Returns whether be_ready() has nothing left to do.
inline bool is_shown() noexcept {
  return !detail::may_get_ready.load(std::memory_order_relaxed);
}

/// Shows that this process is ready, because the calling thread receives or probes, in a call that counts as
/// at least `own` requests (shm::traffic). Does nothing while MPI may have a receive from before
/// expect_rts(), in which nobody would see an RTS. Threads in MPI call it.
inline void be_ready(std::uint64_t own) {
  if (!is_shown()) [[unlikely]]
    detail::get_ready(own);
}

/// Tells the rank of MPI_COMM_WORLD once that this process is ready, unless the two have streams, or the rank
/// is MPI_UNDEFINED. Threads in MPI call it.
void tell(int world_rank) noexcept;

/// end() begins to end: ended() is true when all processes have called end() and have received all that was
/// sent to them. Nobody sends anything afterwards. One thread calls end() once, and then polls ended().
void end() noexcept;
bool ended() noexcept;

} // namespace helper::message::peers
