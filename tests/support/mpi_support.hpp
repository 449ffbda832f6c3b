// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

// What an MPI test asks of the way it was started; see helper_test in cmake/testing.cmake.
namespace test_support {

/// The team size that this run is to use (TEST_TEAM_SIZE), at least 1; 0 in transparent mode, where the test
/// is to make no team.
int team_size();

/// The seed of this run's random inputs, the same on all ranks: TEST_SEED, or one drawn anew and printed by
/// rank 0.
std::uint64_t seed();

} // namespace test_support
