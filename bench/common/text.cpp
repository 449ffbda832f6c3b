// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "text.hpp"

#include "statistics.hpp"

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

std::string agreement(std::vector<double> ratios) {
  for (double& ratio : ratios) ratio = 100 * (std::max(ratio, 1 / ratio) - 1);
  std::ranges::sort(ratios);
  const auto at = [&](double part) {
    return ratios[static_cast<std::size_t>(part * static_cast<double>(ratios.size() - 1))];
  };
  return fmt::format("within {:.0f} % in half of {} cells, {:.0f} % in 90 of 100, {:.0f} % in all", at(0.5),
                     ratios.size(), at(0.9), at(1));
}

} // namespace bench
