// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "chart.hpp"
#include "figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace bench::report {
namespace {

using nlohmann::json;

constexpr std::array schemes{"centralised", "balance", "hash"};

/// A quantity over the number of processes, ours and the paper's, of those processes that `fraction`
/// participates of.
Panel comparison(const json& cells, double fraction, const char* quantity, const std::string& y,
                 double scale) {
  Panel panel{fmt::format("{} of all participate", fraction), "processes", y, true, true, {}};
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    panel.curves.push_back({schemes[i], i, false, {}});
    panel.curves.push_back({"paper", i, true, {}});
    for (const json& cell : cells) {
      if (cell["scheme"] != schemes[i] || cell["fraction"] != fraction) continue;
      const auto add = [&](std::size_t back, const json& from) {
        panel.curves[panel.curves.size() - back].points.emplace_back(cell["processes"],
                                                                     from[quantity].get<double>() * scale);
      };
      add(2, cell);
      if (cell.contains("paper")) add(1, cell["paper"]);
    }
  }
  return panel;
}

std::string deviation(double ours, double papers) {
  return fmt::format("{:+.1f} %", (ours / papers - 1) * 100);
}

std::vector<std::string> row(const json& cell) {
  const double seconds = cell["seconds"], messages = cell["messages"];
  std::vector<std::string> texts{cell["scheme"], fmt::format("{:g}", cell["fraction"].get<double>()),
                                 cell["processes"].dump(), fmt::format("{:.0f}", seconds * 1e6),
                                 fmt::format("{:.0f}", messages)};
  if (!cell.contains("paper")) {
    texts.insert(texts.end(), 4, "");
    return texts;
  }
  const double papers_seconds = cell["paper"]["seconds"], papers_messages = cell["paper"]["messages"];
  texts.insert(texts.begin() + 4,
               {fmt::format("{:.0f}", papers_seconds * 1e6), deviation(seconds, papers_seconds)});
  texts.push_back(fmt::format("{:.0f}", papers_messages));
  texts.push_back(deviation(messages, papers_messages));
  return texts;
}

} // namespace

void add_trees(Page& page, const Results& results) {
  page.section(
      "trees", "Trees of system-ranked groups",
      "How processes find their places in the tree of a new group, by the library's own algorithms on a "
      "simulated Blue Gene/P, beside Table II of Langer, Venkataraman and Kale, who measured a real one.");
  const auto trees = results.json("trees", page);
  if (!trees) return;
  const json& cells = (*trees)["cells"];
  std::string messages, times;
  for (const double fraction : {0.01, 0.3, 0.9}) {
    messages += chart(comparison(cells, fraction, "messages", "messages", 1));
    times += chart(comparison(cells, fraction, "seconds", "µs", 1e6));
  }
  std::vector<std::vector<std::string>> rows;
  std::ranges::transform(cells, std::back_inserter(rows), row);
  const std::string command = results.command("trees");
  page.figure("fig-trees-messages", "<div class=\"panels\">" + messages + "</div>",
              "Messages: the dashed lines are the paper's, and lie on ours.", command);
  page.figure("fig-trees-times", "<div class=\"panels\">" + times + "</div>",
              "Times: all but the hash column and three cells is prediction. Hash wins where few "
              "participate, balance "
              "where many do.",
              command);
  page.figure(
      "tab-trees",
      "<details><summary>All cells</summary>" +
          html({{"scheme", "fraction", "processes", "µs", "paper", "off by", "messages", "paper", "off by"},
                rows}) +
          "</details>",
      "Table II, ours beside the paper's.", command);
}

} // namespace bench::report
