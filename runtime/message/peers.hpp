// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// What this process knows of those that no ring connects it with: which of them understand announcements.
/// Each tells the others itself, when it first receives from them what may be large enough.
namespace helper::message::peers {

/// At MPI_Init.
void start();

/// Whether the rank of MPI_COMM_WORLD has told so. For threads in MPI.
bool is_ready(int world_rank) noexcept;

/// Tells the rank of MPI_COMM_WORLD, unless a ring connects them, that this process is; once. For threads in
/// MPI. MPI_UNDEFINED is nobody.
void tell(int world_rank) noexcept;

/// Begins what ends when all processes have called it and heard all that they were told. Nobody tells
/// anything afterwards. Once, by a thread that polls ended() then.
void end() noexcept;
bool ended() noexcept;

} // namespace helper::message::peers
