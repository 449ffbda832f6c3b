// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string>

namespace helper::shm {

/// Returns how many bytes can be used without a process being killed for it: the minimum of what Linux has
/// and the control groups (version 2) leave; the greatest number if unknown. `root` is the system's folder.
std::size_t free_memory(const std::string& root = "");

} // namespace helper::shm
