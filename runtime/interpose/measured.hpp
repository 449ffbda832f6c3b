// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace helper::interpose {

/// If the user wants advice, calls `replace(name, function)` for each intercepted function, "MPI_X", that is
/// measured: `function` calls the native one and records the time.
void measure_if_wanted(void (*replace)(const char* name, void* function));

} // namespace helper::interpose
