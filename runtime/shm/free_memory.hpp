// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string>

namespace helper::shm {

/// Returns how many bytes this process can use without it or others being killed for lack of memory: the
/// minimum of what Linux has available and what the process's control groups (version 2) leave. Returns the
/// greatest number if this is unknown. `root` is the folder of the system's files. Does not communicate.
std::size_t free_memory(const std::string& root = "");

} // namespace helper::shm
