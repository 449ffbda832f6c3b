// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdlib>
#include <string_view>

namespace helper::tools {

/// Returns whether the program's OpenMP threads shall help. Reads the environment, since MPI_Init, which
/// reads all settings, may come after the first use of OpenMP. Any thread may call it.
inline bool is_openmp_wanted() noexcept {
  static const bool is_wanted = [] {
    const char* const set = std::getenv("MPI_HELPER_THREADS");
    return set != nullptr && set == std::string_view("openmp");
  }();
  return is_wanted;
}

} // namespace helper::tools
