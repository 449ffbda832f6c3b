// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>

// Catch2 itself, which takes long to compile: once, for both kinds of main function.
namespace test_support {

/// Runs the program's test cases; the number of those that failed.
int run_test_cases(int argc, char** argv);

/// Where Catch2 writes to. The main function's file defines it.
std::ostream& output();

} // namespace test_support
