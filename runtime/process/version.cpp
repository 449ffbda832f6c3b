// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/version.hpp"

namespace helper::process {

// The text stands alone in a file, as a test changes it in a copy of the library.
const char* version() noexcept {
  return MPI_HELPER_VERSION;
}

} // namespace helper::process
