// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string>

namespace bench {

/// Returns a message size for people: 8 B, 4 KiB, 64 MiB.
std::string size_name(std::size_t bytes);

/// Returns about three significant digits, without an exponent.
std::string digits(double value);

} // namespace bench
