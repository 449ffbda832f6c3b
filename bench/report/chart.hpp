// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/panels.hpp"

#include <string>
#include <vector>

namespace bench::report {

enum class Values { numbers, bytes };

/// Adds a point to the panel's curve of that title, which it makes if there is none. The seventh curve has
/// the first one's colour again, and is dashed.
void add_point(Panel& panel, const std::string& title, double x, double y);

/// Ratios of things that have names, in rows: a point is the number of a row and a value. Dashed curves are
/// lines from row to row, others dots.
struct Ratios {
  std::string title;
  std::vector<std::string> names;
  std::vector<Curve> curves;
};

/// What is within an SVG element, 360 units wide, that takes its colours from CSS: see chart_style(). Empty
/// where there are no points.
struct Drawing {
  std::string title, content;
  double height = 0;
};

/// Curves without points are left out. Where an axis is logarithmic all values are positive.
Drawing draw(const Panel& panel, Values x = Values::numbers);
Drawing draw(const Ratios& ratios);

/// A drawing as an element of a page; "" if it is empty.
std::string chart(const Drawing& drawing);
std::string chart(const Panel& panel, Values x = Values::numbers);

/// The same as a file of its own.
std::string picture(const Drawing& drawing);

} // namespace bench::report
