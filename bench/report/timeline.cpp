// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace bench::report {
namespace {

using nlohmann::json;

constexpr double width = 360, left = 2, right = 358, lane_height = 40;

/// Of one operation: from its first rank's begin to its last one's end, in microseconds.
struct Extent {
  double begin, end;
};

double end_of(const json& event) {
  return event["ts"].get<double>() + event["dur"].get<double>();
}

bool is_span(const json& event, std::string_view category) {
  return event["ph"] == "X" && event["cat"] == category;
}

/// The carried calls: the n-th of each rank is one operation, if all ranks have kept equally many.
std::vector<Extent> carried_calls(const json& events) {
  std::map<int, std::vector<Extent>> of_rank;
  for (const json& event : events)
    if (is_span(event, "operation") && event["args"]["way"] == "carried")
      of_rank[event["pid"]].push_back({event["ts"], end_of(event)});
  std::vector<Extent> all;
  for (auto& [rank, extents] : of_rank) {
    std::ranges::sort(extents, {}, &Extent::begin);
    if (all.empty()) all = extents;
    all.resize(std::min(all.size(), extents.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].begin = std::min(all[i].begin, extents[i].begin);
      all[i].end = std::max(all[i].end, extents[i].end);
    }
  }
  return all;
}

/// That of whose time helpers' work takes the greatest part; null if there is none.
const Extent* most_helped(const std::vector<Extent>& operations, const json& events) {
  std::vector<double> helped(operations.size());
  for (const json& event : events) {
    if (!is_span(event, "helping")) continue;
    const auto after = std::ranges::upper_bound(operations, event["ts"].get<double>(), {}, &Extent::begin);
    if (after == operations.begin()) continue;
    const Extent& during = *std::prev(after);
    helped[static_cast<std::size_t>(&during - operations.data())] +=
        event["dur"].get<double>() / (during.end - during.begin);
  }
  if (helped.empty()) return nullptr;
  return &operations[static_cast<std::size_t>(std::ranges::max_element(helped) - helped.begin())];
}

/// What the lanes of ranks and members look like during an operation.
class Picture {
public:
  Picture(const Extent& shown, const json& events) : shown_(shown) {
    for (const json& event : events)
      if (event["ph"] == "M" && event["name"] == "thread_name")
        lanes_.try_emplace({event["pid"], event["tid"]}, event["args"]["name"]);
    for (const char* category : {"operation", "waiting", "work", "helping"}) // the last is on top
      for (const json& event : events)
        if (is_span(event, category) && end_of(event) > shown.begin && event["ts"] < shown.end) add(event);
  }

  std::string svg() const {
    const double bottom = top(lanes_.size());
    std::string names;
    std::size_t index = 0;
    for (const auto& [lane, name] : lanes_)
      names += fmt::format("<text x=\"{}\" y=\"{:.0f}\" class=\"tick\">rank {}, {}</text>", left,
                           top(index++) + 12, lane.first, escaped(name));
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {} {:.0f}\" role=\"img\" "
        "aria-label=\"Timeline of a call\">{}{}{}<text x=\"{}\" y=\"{:.0f}\" class=\"tick\">0</text>"
        "<text x=\"{}\" y=\"{:.0f}\" class=\"tick end\">{:.0f} µs</text></svg>\n",
        width, bottom + 24, legend(), names, spans_, left, bottom + 16, right, bottom + 16,
        shown_.end - shown_.begin);
  }

private:
  static double top(std::size_t lane) { return 30 + static_cast<double>(lane) * lane_height; }

  static std::string legend() {
    constexpr std::array<std::pair<const char*, double>, 4> entries{
        {{"work", 2}, {"helping", 72}, {"waiting", 158}, {"operation", 240}}};
    std::string svg;
    for (const auto& [name, x] : entries)
      svg +=
          fmt::format("<rect class=\"span {}\" x=\"{}\" y=\"6\" width=\"14\" height=\"12\"/><text x=\"{}\" "
                      "y=\"16\">{}</text>",
                      name, x, x + 20, name);
    return svg;
  }

  void add(const json& event) {
    const auto lane = lanes_.find({event["pid"], event["tid"]});
    if (lane == lanes_.end()) return;
    const auto place = [&](double time) {
      const double part = (time - shown_.begin) / (shown_.end - shown_.begin);
      return left + std::clamp(part, 0.0, 1.0) * (right - left);
    };
    const double from = place(event["ts"]), to = place(end_of(event));
    spans_ += fmt::format("<rect class=\"span {}\" x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" "
                          "height=\"18\"><title>{}, {:.1f} µs</title></rect>",
                          event["cat"].get<std::string>(), from,
                          top(static_cast<std::size_t>(std::distance(lanes_.begin(), lane))) + 16,
                          std::max(0.3, to - from), escaped(event["name"].get<std::string>()),
                          event["dur"].get<double>());
  }

  Extent shown_;
  std::map<std::pair<int, int>, std::string> lanes_; ///< names, by rank and lane
  std::string spans_;
};

} // namespace

void add_timeline(Page& page, const Results& results) {
  page.section(
      "timeline", "One call and its helpers",
      "A timeline as <code>MPI_HELPER_TRACE</code> writes it: a lane for each member of each rank's team.");
  const auto trace = results.json("trace", page);
  if (!trace) return;
  const json& events = (*trace)["traceEvents"];
  const auto operations = carried_calls(events);
  const Extent* shown = most_helped(operations, events);
  if (shown == nullptr) return page.missing("No call was carried.", results.source("trace").command);
  page.figure(
      "fig-timeline", Picture(*shown, events).svg(),
      fmt::format("Of {} calls that were recorded, the one that helpers had the greatest part in. Work for "
                  "oneself and for another member; gaps are time that the system gave to others.",
                  operations.size()),
      results.source("trace"));
}

} // namespace bench::report
