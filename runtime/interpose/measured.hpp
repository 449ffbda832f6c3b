// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace helper::interpose {

/// Calls `replace(name, function)` for each intercepted function, "MPI_X", that is measured while the program
/// runs natively: `function` calls the native one and records the time.
void for_each_measured(void (*replace)(const char* name, void* function));

} // namespace helper::interpose
