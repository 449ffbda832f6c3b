// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// What program.cpp does, and output_test.cpp expects in the library's output.
namespace test_support::program {

inline constexpr int ranks = 2;
inline constexpr int rounds = 5; // each with two broadcasts, a reduction, an exchange, a message, a barrier
inline constexpr int rows = 1 << 17;       // rows of a column of doubles that is broadcast
inline constexpr int sums = 1 << 16;       // doubles that are reduced
inline constexpr int moves = sums / ranks; // … sent from each rank to each, in messages

} // namespace test_support::program
