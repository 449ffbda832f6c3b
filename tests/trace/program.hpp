// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// What program.cpp does, and so what output_test.cpp expects in the output of the library.
namespace test_support::program {

inline constexpr int ranks = 2;
inline constexpr int rounds = 5;     // of two broadcasts, a reduction, an exchange, a message and a barrier
inline constexpr int rows = 1 << 17; // of a column of doubles that is broadcast
inline constexpr int sums = 1 << 16; // doubles that are reduced
inline constexpr int moves = sums / ranks; // doubles that each rank sends to each rank

} // namespace test_support::program
