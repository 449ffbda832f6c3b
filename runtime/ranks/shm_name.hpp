// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>

namespace helper::ranks {

/// A name in /dev/shm.
using ShmName = std::array<char, 64>;

/// Returns a name that no other file has.
ShmName unused_shm_name();

} // namespace helper::ranks
