// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "timeline.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mcmc {
namespace {

constexpr double width = 360, top = 26, rank_height = 7;

/// A box from `since` to `until`, of as many parts of the width.
std::string box(const Lifetime& group, double since, double until, const char* opacity) {
  return fmt::format("<rect class=\"span\" fill=\"#0b6bcb\" fill-opacity=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" "
                     "width=\"{:.2f}\" height=\"{:.1f}\"><title>ranks {} to {}</title></rect>\n",
                     opacity, since * width, top + group.first * rank_height,
                     std::max(0.0, (until - since) * width - 0.7),
                     (group.last - group.first + 1) * rank_height - 1.5, group.first, group.last);
}

} // namespace

std::string timeline(const std::string& title, const std::vector<Lifetime>& groups, double end) {
  int last = 0;
  std::string boxes;
  for (const Lifetime& group : groups) {
    last = std::max(last, group.last);
    boxes += box(group, group.since / end, group.until / end, ".25");
    boxes += box(group, group.since / end, group.worked_until / end, "1");
  }
  const double bottom = top + (last + 1) * rank_height;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "aria-label=\"Groups, {2}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"2\" y=\"15\" class=\"title\">{2}</text>\n{3}"
      "<text x=\"2\" y=\"{4}\" class=\"tick\">0</text><text x=\"{5}\" y=\"{4}\" class=\"tick end\" "
      "text-anchor=\"end\">{6:.2f} s</text></svg>\n",
      width, bottom + 20, title, boxes, bottom + 14, width - 2, end);
}

} // namespace mcmc
