// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/statistics.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace bench {

/// Seconds of one direction, by Way.
using Times = std::array<Quantiles, 3>;

/// What was measured of one type and size.
struct Point {
  std::string type;
  std::size_t asked_for, bytes;
  Times pack, unpack;
};

void print_header();
void print(const Point& point);
void write_json(const std::vector<Point>& points, const std::string& file);

} // namespace bench
