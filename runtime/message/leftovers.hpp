// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

#include "message/data.hpp"

/// Copies of the rests of announced messages whose receivers are late, on their way as messages of MPI's.
namespace helper::message::leftovers {

/// Copies `data` from byte `begin` on and starts to send it to a rank of MPI_COMM_WORLD; false if there is no
/// memory for it, or MPI fails.
bool send(const Data& data, std::size_t begin, int receiver, int tag) noexcept;

/// Forgets those that have been sent.
void sweep() noexcept;

} // namespace helper::message::leftovers
