// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace bench {
namespace {

struct Point {
  double x, y;
};

/// A tree, level by level; leaves side by side, other vertices in the middle above their children.
class Drawing {
public:
  static constexpr double width = 360;

  explicit Drawing(const TreePicture& tree) : tree_(tree) {
    for (const Vertex& vertex : tree.vertices)
      if (vertex.parent == -1) draw(vertex, 0);
  }

  double height() const { return bottom_ + radius + 22; }

  std::string elements() const {
    return fmt::format("<text x=\"2\" y=\"15\" class=\"title\">{}</text>\n{}", tree_.title, elements_);
  }

private:
  static constexpr double radius = 13, step = 44, level = 58, top = 40;

  /// Adds a vertex and all below it, and tells where it is.
  Point draw(const Vertex& vertex, int depth) {
    std::vector<Point> below;
    for (const Vertex& other : tree_.vertices)
      if (other.parent == vertex.process) below.push_back(draw(other, depth + 1));
    Point own{0, top + depth * level};
    if (below.empty())
      own.x = std::exchange(next_leaf_, next_leaf_ + step);
    else
      own.x = (below.front().x + below.back().x) / 2;
    bottom_ = std::max(bottom_, own.y);
    // The text lies above the lines, which lead from under it.
    const double foot = own.y + radius + (vertex.label.empty() ? 0 : 15);
    for (const auto& [x, y] : below)
      elements_ +=
          fmt::format("<path style=\"stroke:currentColor\" d=\"M{} {}L{} {}\"/>", own.x, foot, x, y - radius);
    elements_ +=
        fmt::format("<circle style=\"fill:none;stroke:currentColor{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>"
                    "<text style=\"text-anchor:middle\" x=\"{}\" y=\"{}\">{}</text>"
                    "<text style=\"text-anchor:middle\" x=\"{}\" y=\"{}\" class=\"tick\">{}</text>\n",
                    vertex.participates ? "" : ";stroke-dasharray:3", own.x, own.y, radius, own.x, own.y + 4,
                    vertex.process, own.x, own.y + radius + 12, vertex.label);
    return own;
  }

  const TreePicture& tree_;
  std::string elements_;
  double next_leaf_ = step / 2, bottom_ = top;
};

constexpr auto element =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" {} viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" "
    "font-family=\"sans-serif\" font-size=\"12\">\n"
    "<rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}</svg>\n";

} // namespace

std::string tree_picture(const TreePicture& tree) {
  const Drawing drawing(tree);
  return fmt::format(element, "", Drawing::width, drawing.height(), tree.title, drawing.elements());
}

std::string tree_pictures(const std::vector<TreePicture>& trees) {
  std::string elements;
  double height = 0;
  for (const TreePicture& tree : trees) {
    const Drawing drawing(tree);
    elements += fmt::format("<g transform=\"translate(0 {})\">\n{}</g>\n", height, drawing.elements());
    height += drawing.height();
  }
  return fmt::format(element, "width=\"720\"", Drawing::width, height, "Trees", elements);
}

} // namespace bench
