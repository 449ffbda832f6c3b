// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "layout/random_type.hpp"

#include <string>

namespace test_support {

/// A random type, packed and unpacked in random pieces as well as by MPI: says what differs, and how the type
/// was built; nothing if all is well.
std::string compare_with_mpi(Random& random);

} // namespace test_support
