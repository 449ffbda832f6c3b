// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>

// Catch2, which takes long to compile, is compiled once for both kinds of main function.
namespace test_support {

/// Runs the program's test cases. Returns the number that failed.
int run_test_cases(int argc, char** argv);

/// Returns the stream that Catch2 writes to. The main function's file defines it.
std::ostream& output();

} // namespace test_support
