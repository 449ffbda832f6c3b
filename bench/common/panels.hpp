// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// A curve: points of x and y, and how it looks.
struct Curve {
  std::string title;
  std::size_t colour;
  bool dashed;
  std::vector<std::pair<double, double>> points;
};

struct Panel {
  std::string title, x, y;
  bool logarithmic_x = false, logarithmic_y = false;
  std::vector<Curve> curves;
};

/// Draws those panels that have curves that have points: writes BASE.gp, and has gnuplot make BASE.svg.
void plot_panels(std::vector<Panel> panels, const std::string& title, const std::string& base);

} // namespace bench
