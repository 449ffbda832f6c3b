// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>

// Runs Catch2. It takes long to compile, so both kinds of main function share its object.
namespace test_support {

/// Runs the test cases of the program. Returns how many have failed.
int run_test_cases(int argc, char** argv);

/// Returns the stream to which Catch2 writes. The file with the main function defines it.
std::ostream& output();

} // namespace test_support
