// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/process.hpp"

namespace helper::process {

// In a file of its own, so that the text is in one place: a test replaces it in a copy of the library.
const char* version() noexcept {
  return MPI_HELPER_VERSION;
}

} // namespace helper::process
