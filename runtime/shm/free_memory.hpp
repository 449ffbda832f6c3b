// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string>

namespace helper::shm {

/// Returns how many bytes of memory this process can have without others, or itself, being ended for it: what
/// Linux has available, and what the control groups (version 2) that the process is in leave it. It is the
/// greatest number where that is not known. `root` is where the files of the system are. It does not
/// communicate.
std::size_t free_memory(const std::string& root = "");

} // namespace helper::shm
