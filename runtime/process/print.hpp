// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdio>
#include <string>

namespace helper::process {

/// Writes to standard error what the user has asked for, or one report of a stall. Takes no memory.
inline void print(const char* text) noexcept {
  std::fprintf(stderr, "mpi_helper: %s\n", text);
}
inline void print(const std::string& text) noexcept {
  print(text.c_str());
}

} // namespace helper::process
