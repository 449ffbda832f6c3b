// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

/// To which processes messages may be announced: to those of which a thread has received or probed by the
/// library. That messages could come by it is not enough, since a program may look up MPI's own functions, or
/// a tool call them, and receive an announcement as if it were the data. Each process shows all those that a
/// ring connects with it that it is ready, and tells any other when it first receives from that one what may
/// be large enough.
namespace helper::message::peers {

/// At MPI_Init. Unless `announce`, nothing is announced to this process or by it.
void start(bool announce);

/// What start() was told.
bool announce() noexcept;

/// Whether messages to the rank of MPI_COMM_WORLD may be announced. For threads in MPI.
bool is_ready(int world_rank) noexcept;

/// This process has a team from now on, and its receives go by the library. Any thread.
void expect_announcements() noexcept;

/// The calling thread receives or probes, in a call that counts as `own` requests (transport::traffic), or
/// more: this process is ready. Not as long as MPI may have a receive that was posted before
/// expect_announcements(): in that nobody would see an announcement. For threads in MPI.
void be_ready(std::uint64_t own);

/// Tells the rank of MPI_COMM_WORLD, unless a ring connects them, that this process is; once. For threads in
/// MPI. MPI_UNDEFINED is nobody.
void tell(int world_rank) noexcept;

/// Begins what ends when all processes have called it and heard all that they were told. Nobody tells
/// anything afterwards. Once, by a thread that polls ended() then.
void end() noexcept;
bool ended() noexcept;

} // namespace helper::message::peers
