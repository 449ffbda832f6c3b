// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

namespace test_support {

/// Returns the seed of this run's random inputs, equal on all ranks: TEST_SEED, or a random one, which is
/// printed.
std::uint64_t seed();

} // namespace test_support
