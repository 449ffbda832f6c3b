// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <span>

namespace helper::interpose {

/// What takes the place of an intercepted function while the program is only measured: it calls the native
/// function, and the time is recorded.
struct Measured {
  const char* name; ///< "MPI_X"
  void* function;
};

/// Returns all of them. The other intercepted functions stay as they are.
std::span<const Measured> measured();

} // namespace helper::interpose
