// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstdint>

/// The processes to which messages may be announced. A process is *ready* once one of its threads has
/// received or probed through the library. Having the library is not enough: a program or a tool may receive
/// by native MPI functions, and would take an RTS for data. A ready process shows that to the processes with
/// which it has streams. It sends a message to any other process from which it may receive large messages.
namespace helper::message::peers {

/// MPI_Init calls this. Unless `announce`, no message is announced to or by this process.
void start(bool announce);

namespace detail {
// start() stores its argument here.
inline constinit bool may_announce = true;
// Whether be_ready() must still show that this process is ready. start() sets the flag to its argument. The
// thread that has shown this clears the flag. Relaxed: a thread that sees the flag set checks again.
inline constinit std::atomic<bool> may_get_ready{true};
void get_ready(std::uint64_t own);
} // namespace detail

/// Returns the argument of start().
inline bool announce() noexcept {
  return detail::may_announce;
}

/// Returns whether messages to the rank of MPI_COMM_WORLD may be announced. Threads in MPI call it.
bool is_ready(int world_rank) noexcept;

/// Notes that this process receives through the library from now on. Any thread may call it.
void expect_rts() noexcept;

/// Returns whether be_ready() has nothing left to do.
inline bool is_shown() noexcept {
  return !detail::may_get_ready.load(std::memory_order_relaxed);
}

/// Shows other processes that they may send an RTS to this process. Does nothing while MPI may have a receive
/// that was posted before expect_rts(): it could match an RTS unnoticed. Called by a thread that receives or
/// probes, in a call that has counted `own` requests in shm::traffic.
inline void be_ready(std::uint64_t own) {
  if (!is_shown()) [[unlikely]]
    detail::get_ready(own);
}

/// Tells a rank of MPI_COMM_WORLD, once, that this process is ready. Does nothing if this process is not
/// ready, has streams to the rank, or the rank is MPI_UNDEFINED. Threads in MPI call it.
void tell(int world_rank) noexcept;

/// One thread calls end() once, when this process no longer calls tell(), and then polls ended(). ended()
/// returns true when all processes have called end() and this process has received all that they told it.
void end() noexcept;
bool ended() noexcept;

} // namespace helper::message::peers
