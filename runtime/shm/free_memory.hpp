// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string>

namespace helper::shm {

/// Returns how many bytes processes can use before Linux kills one: the minimum of the available memory and
/// of what the limits of control groups (version 2) leave. Returns the greatest number if unknown. `root` is
/// put before the paths of the system's files.
std::size_t free_memory(const std::string& root = "");

} // namespace helper::shm
