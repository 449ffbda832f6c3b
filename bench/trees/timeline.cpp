// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace bench {
namespace {

constexpr double width = 360, top = 26, process_height = 6;

/// Messages that are shown in one colour; the last is that of all other kinds, too.
struct Shade {
  const char* title;
  const char* colour;
  std::array<const char*, 2> kinds;
};

constexpr std::array shades{Shade{"upward pass", "#0b6bcb", {"report", "report"}},
                            Shade{"relocations", "#d9480f", {"relocation", "relocation"}},
                            Shade{"downward pass", "#2b8a3e", {"descent", "descent"}},
                            Shade{"hashing", "#9c36b5", {"registration", "introduction"}},
                            Shade{"before and after", "#868e96", {}}};

std::string box(const Stretch& stretch, double end) {
  const auto shade = std::find_if(shades.begin(), shades.end() - 1, [&](const Shade& one) {
    return std::ranges::count(one.kinds, stretch.kind) > 0;
  });
  return fmt::format("<rect fill=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\">"
                     "<title>process {}: {}</title></rect>\n",
                     shade->colour, stretch.since / end * width, top + stretch.process * process_height,
                     (stretch.until - stretch.since) / end * width, process_height - 1, stretch.process,
                     shade->title);
}

std::string legend(double y) {
  std::string texts;
  double x = 2;
  for (const Shade& shade : shades) {
    const double room = 12 + 7.0 * static_cast<double>(std::string(shade.title).size());
    if (x + room > width) x = 2, y += 16;
    texts += fmt::format(
        "<rect fill=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"9\" height=\"9\"/><text x=\"{:.1f}\" "
        "y=\"{:.1f}\" class=\"tick\">{}</text>\n",
        shade.colour, x, y - 9, x + 12, y, shade.title);
    x += room + 8;
  }
  return texts;
}

} // namespace

std::string enrolment_timeline(const std::vector<Stretch>& stretches) {
  int last = 0;
  double end = 0;
  for (const Stretch& stretch : stretches) {
    last = std::max(last, stretch.process);
    end = std::max(end, stretch.until);
  }
  std::string boxes;
  for (const Stretch& stretch : stretches) boxes += box(stretch, end);
  const double bottom = top + (last + 1) * process_height;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "aria-label=\"Timeline of an enrolment\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"2\" y=\"15\" class=\"title\">{2} processes, from top to bottom</text>\n{3}"
      "<text x=\"2\" y=\"{4}\" class=\"tick\">0</text><text x=\"{5}\" y=\"{4}\" class=\"tick end\" "
      "text-anchor=\"end\">{6:.0f} µs</text>\n{7}</svg>\n",
      width, bottom + 52, last + 1, boxes, bottom + 14, width - 2, end * 1e6, legend(bottom + 30));
}

} // namespace bench
