// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "jobs/worker.hpp"

namespace bench {

/// Calls `body` with what puts things into phases of teams of the `count` sizes given as text. There are two
/// of these functions: a program is linked with that of the library, or with one that knows no teams.
void run_phases(int count, const char* const* sizes, const std::function<void(const Phase&)>& body);

} // namespace bench
