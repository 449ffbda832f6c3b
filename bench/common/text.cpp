// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "text.hpp"

#include <fmt/format.h>

namespace bench {

std::string size_name(std::size_t bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB"};
  int unit = 0;
  for (; bytes >= 1024 && bytes % 1024 == 0; bytes /= 1024) ++unit;
  return fmt::format("{} {}", bytes, units[unit]);
}

std::string digits(double value) {
  return fmt::format("{:.{}f}", value, value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
}

} // namespace bench
