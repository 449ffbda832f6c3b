// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace bench {

inline std::string size_name(std::size_t bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB"};
  int unit = 0;
  for (; bytes >= 1024 && bytes % 1024 == 0; bytes /= 1024) ++unit;
  return fmt::format("{} {}", bytes, units[unit]);
}

/// Returns about three significant digits, without an exponent.
inline std::string digits(double value) {
  return fmt::format("{:.{}f}", value, value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
}

} // namespace bench
