// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string>

namespace bench {

/// A message size as people write it: 8 B, 4 KiB, 64 MiB.
std::string size_name(std::size_t bytes);

/// About three significant digits, without exponent.
std::string digits(double value);

} // namespace bench
