// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

namespace test_support {

/// Returns the seed of the random inputs of this run, equal at all ranks. It is TEST_SEED, or else a random
/// number. It is printed.
std::uint64_t seed();

} // namespace test_support
