// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <span>

namespace helper::interpose {

/// Replaces an intercepted function while the program is only measured: it calls the native function and
/// records the time.
struct Measured {
  const char* name; ///< "MPI_X"
  void* function;
};

/// Returns all measured functions. The other intercepted functions are not replaced.
std::span<const Measured> measured();

} // namespace helper::interpose
