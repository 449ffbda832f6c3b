// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/statistics.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

/// The transfers of one type and size by all variants.
struct Point {
  std::string type;
  std::size_t bytes;
  int calls;                      ///< per sample
  std::vector<Quantiles> seconds; ///< per transfer, one entry per variant
  int samples;                    ///< of every variant

  double bandwidth(std::size_t variant) const { return static_cast<double>(bytes) / seconds[variant].median; }
  double speedup(std::size_t variant) const { return seconds[0].median / seconds[variant].median; }
};

/// Everything about one run. The first variant is the native MPI.
struct Report {
  std::vector<std::string> variants;
  std::vector<Point> points;
};

/// A line of the table; its head.
void print_head(const Report& report);
void print(const Point& point);

void write_json(const Report& report, const std::string& file);

} // namespace bench
