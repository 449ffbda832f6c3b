// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdio>
#include <string>

namespace helper::process {

/// Writes to standard error what the user has asked for, or one report of a stall.
inline void print(const std::string& text) {
  std::fprintf(stderr, "mpi_helper: %s\n", text.c_str());
}

} // namespace helper::process
