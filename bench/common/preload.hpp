// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

namespace bench {

/// Runs a shell command and returns the numbers that it prints. Throws std::runtime_error if the command
/// fails or prints no number.
std::vector<double> numbers_of(const std::string& command);

/// Runs bench/first_calls/program.cpp with `arguments` on `ranks` ranks. Returns the numbers that it prints.
/// `threads` is the value of MPI_HELPER_THREADS for the preloaded library; empty: native.
std::vector<double> times_of_calls(int ranks, const std::string& threads, const std::string& arguments);

} // namespace bench
