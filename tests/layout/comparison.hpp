// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "layout/random_type.hpp"

#include <string>

namespace test_support {

/// Packs and unpacks elements of a random type in random pieces, and with MPI. Returns what differs and how
/// the type was built, or an empty text.
std::string compare_with_mpi(Random& random);

} // namespace test_support
