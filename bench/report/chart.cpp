// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "chart.hpp"

#include "common/text.hpp"
#include "html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

namespace bench::report {
namespace {

constexpr double width = 360, left = 46, right = 346, plot_height = 160;
constexpr double line_height = 17, character_width = 7; ///< of the legend's text, at 12 units

/// The values that lie between two places of the picture.
struct Axis {
  double low, high;
  bool logarithmic;
  double from, to;

  double place(double value) const {
    const auto position = [&](double of) { return logarithmic ? std::log(of) : of; };
    return from + (position(value) - position(low)) / (position(high) - position(low)) * (to - from);
  }
};

/// Multiples of 1, 2 or 5 times a power of ten, some five of them.
std::vector<double> linear_ticks(double low, double high) {
  const double rough = (high - low) / 5, decade = std::pow(10, std::floor(std::log10(rough)));
  const double step = decade * (rough > 5 * decade ? 10 : rough > 2 * decade ? 5 : rough > decade ? 2 : 1);
  std::vector<double> ticks;
  for (double tick = std::ceil(low / step); tick * step <= high * (1 + 1e-9); ++tick)
    ticks.push_back(tick * step);
  return ticks;
}

/// Powers of `base`, every n-th so that there are at most six.
std::vector<double> powers(double low, double high, double base) {
  const auto exponent = [&](double value) { return std::log(value) / std::log(base); };
  const double first = std::ceil(exponent(low) - 1e-9), last = std::floor(exponent(high) + 1e-9);
  std::vector<double> ticks;
  const double step = std::max(1.0, std::ceil((last - first) / 5));
  for (double power = first; power <= last; power += step) ticks.push_back(std::pow(base, power));
  return ticks;
}

/// Ticks that a logarithmic axis of less than two decades has enough of.
std::vector<double> logarithmic_ticks(double low, double high) {
  if (high / low >= 100) return powers(low, high, 10);
  std::vector<double> ticks;
  for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10)
    for (const double factor : {1, 2, 5})
      if (factor * decade >= low && factor * decade <= high) ticks.push_back(factor * decade);
  return ticks;
}

/// Sizes and processes are powers of two, fractions of them are not.
std::vector<double> ticks_below(const Axis& x) {
  if (!x.logarithmic) return linear_ticks(x.low, x.high);
  return x.low < 1 ? logarithmic_ticks(x.low, x.high) : powers(x.low, x.high, 2);
}

Axis axis_of(const std::vector<Curve>& curves, double std::pair<double, double>::*value, bool logarithmic,
             double from, double to) {
  double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
  for (const Curve& curve : curves)
    for (const auto& point : curve.points)
      low = std::min(low, point.*value), high = std::max(high, point.*value);
  if (low == high) high = low * 2 + (low == 0 ? 1 : 0);
  return {low, high, logarithmic, from, to};
}

std::string curve_class(const Curve& curve) {
  return fmt::format("c{}{}", curve.colour % 6, curve.dashed ? " dashed" : "");
}

/// The curves' names, in as many lines as they need; sets `y` to below them.
std::string legend(const std::vector<Curve>& curves, double& y) {
  constexpr double swatch = 22, gap = 14;
  std::string svg;
  double x = 2;
  for (const Curve& curve : curves) {
    const double extent = swatch + static_cast<double>(curve.title.size()) * character_width + gap;
    if (x > 2 && x + extent > width) x = 2, y += line_height;
    svg += fmt::format(
        "<path class=\"curve {}\" d=\"M{:.0f} {:.0f}h16\"/><text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>",
        curve_class(curve), x, y - 4, x + swatch, y, escaped(curve.title));
    x += extent;
  }
  y += line_height;
  return svg;
}

/// A number as short as an axis needs it: 16384 processes are 16k, 100000 us are 100k.
std::string number_name(double value) {
  for (const int thousand : {1024, 1000})
    if (value >= 10 * thousand && std::fmod(value, thousand) == 0)
      return fmt::format("{:g}k", value / thousand);
  return fmt::format("{:g}", value);
}

std::string x_axis(const Axis& x, const std::vector<double>& ticks, double bottom,
                   const std::function<std::string(double)>& name) {
  std::string svg;
  for (const double tick : ticks)
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\" class=\"tick middle\">{}</text>", x.place(tick),
                       bottom + 16, name(tick));
  return svg;
}

std::string y_axis(const Axis& y, const std::vector<double>& ticks) {
  std::string svg;
  for (const double tick : ticks)
    svg += fmt::format("<path class=\"grid\" d=\"M{} {:.1f}H{}\"/><text x=\"{}\" y=\"{:.1f}\" class=\"tick "
                       "end\">{}</text>",
                       left, y.place(tick), right, left - 6, y.place(tick) + 4, number_name(tick));
  return svg;
}

std::string drawn(const Curve& curve, const Axis& x, const Axis& y) {
  std::string line, dots;
  for (const auto& [at, value] : curve.points) {
    line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x.place(at), y.place(value));
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\"/>", x.place(at), y.place(value));
  }
  return fmt::format("<g class=\"{}\"><path class=\"curve\" d=\"{}\"/>{}</g>", curve_class(curve), line,
                     dots);
}

/// A power of two as people write it, without the space that a crowded axis has none for.
std::string bytes_name(double bytes) {
  std::string name = size_name(static_cast<std::size_t>(bytes));
  name.erase(name.find(' '), 1);
  return name;
}

std::string title_element(const std::string& title) {
  return fmt::format("<text x=\"2\" y=\"15\" class=\"title\">{}</text>", escaped(title));
}

/// The element around it; `begin` stands first in it.
std::string element(const Drawing& drawing, const std::string& attributes, const std::string& begin) {
  if (drawing.content.empty()) return "";
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" {} viewBox=\"0 0 {} {:.0f}\" "
                     "role=\"img\" aria-label=\"{}\">{}{}</svg>\n",
                     attributes, width, drawing.height, escaped(drawing.title), begin, drawing.content);
}

} // namespace

void add_point(Panel& panel, const std::string& title, double x, double y) {
  auto curve = std::ranges::find(panel.curves, title, &Curve::title);
  if (curve == panel.curves.end())
    curve = panel.curves.insert(curve, {title, panel.curves.size(), panel.curves.size() >= 6, {}});
  curve->points.emplace_back(x, y);
}

Drawing draw(const Panel& panel, Values values) {
  std::vector<Curve> curves;
  std::ranges::copy_if(panel.curves, std::back_inserter(curves),
                       [](const Curve& curve) { return !curve.points.empty(); });
  if (curves.empty()) return {.title = panel.title, .content = ""};
  double top = 18 + line_height;
  std::string svg = title_element(panel.title);
  svg += legend(curves, top);
  top += 12;
  const double bottom = top + plot_height;

  const Axis x =
      axis_of(curves, &std::pair<double, double>::first, panel.logarithmic_x, left + 8, right - 10);
  Axis y = axis_of(curves, &std::pair<double, double>::second, panel.logarithmic_y, bottom, top);
  if (y.logarithmic)
    y.low *= 0.9, y.high *= 1.1;
  else
    y.low = std::min(0.0, y.low), y.high *= 1.05;
  // One value, or none, beside an axis does not say what the distances on it are.
  while (y.logarithmic && logarithmic_ticks(y.low, y.high).size() < 2) y.low /= 1.2, y.high *= 1.2;

  svg += fmt::format("<text x=\"2\" y=\"{:.0f}\" class=\"tick\">{}</text>", top - 9, escaped(panel.y));
  svg += fmt::format("<text x=\"{}\" y=\"{:.0f}\" class=\"tick end\">{}</text>", right, bottom + 32,
                     escaped(panel.x));
  svg += y_axis(y, y.logarithmic ? logarithmic_ticks(y.low, y.high) : linear_ticks(y.low, y.high));
  svg += x_axis(x, ticks_below(x), bottom,
                [&](double tick) { return values == Values::bytes ? bytes_name(tick) : number_name(tick); });
  for (const Curve& curve : curves) svg += drawn(curve, x, y);
  return {panel.title, svg, bottom + 38};
}

Drawing draw(const Ratios& ratios) {
  constexpr double row_height = 32;
  double top = 18 + line_height;
  std::string svg = title_element(ratios.title) + legend(ratios.curves, top);
  const double bottom = top + static_cast<double>(ratios.names.size()) * row_height;
  const auto height_of = [&](double row) { return top + (row + 0.75) * row_height; };
  const Axis x = axis_of(ratios.curves, &std::pair<double, double>::second, false, left, right - 10);
  const auto ticks = linear_ticks(x.low, x.high);
  for (const double tick : ticks)
    svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", x.place(tick), top, bottom);
  for (std::size_t row = 0; row < ratios.names.size(); ++row)
    svg += fmt::format("<text x=\"2\" y=\"{:.1f}\">{}</text>", height_of(static_cast<double>(row)) - 11,
                       escaped(ratios.names[row]));
  for (const Curve& curve : ratios.curves) {
    std::string line, dots;
    for (const auto& [row, value] : curve.points) {
      line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x.place(value), height_of(row));
      dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>", x.place(value), height_of(row));
    }
    svg += fmt::format("<g class=\"{}\">{}</g>", curve_class(curve),
                       curve.dashed ? fmt::format("<path class=\"curve\" d=\"{}\"/>", line) : dots);
  }
  svg += x_axis(x, ticks, bottom, number_name);
  return {ratios.title, svg, bottom + 24};
}

std::string chart(const Drawing& drawing) {
  return element(drawing, "", "");
}

std::string chart(const Panel& panel, Values x) {
  return chart(draw(panel, x));
}

std::string picture(const Drawing& drawing) {
  return element(
      drawing, "width=\"540\"",
      fmt::format("<style>{}</style><rect width=\"100%\" height=\"100%\" class=\"paper\"/>", chart_style()));
}

} // namespace bench::report
