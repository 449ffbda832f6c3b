// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

namespace bench {

/// Runs a command of the shell, and returns the numbers that it prints, at least one. Throws
/// std::runtime_error if it fails or prints none.
std::vector<double> numbers_of(const std::string& command);

} // namespace bench
