// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "chart.hpp"
#include "figures.hpp"
#include "trees/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

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

const json* find(const json& cells, const char* scheme, const json& fraction, const json& processes) {
  for (const json& cell : cells)
    if (cell["scheme"] == scheme && cell["fraction"] == fraction && cell["processes"] == processes)
      return &cell;
  return nullptr;
}

/// Figures 6 and 8: a quantity over that of the centralised scheme, ours and the paper's, by fraction.
Panel relative(const json& cells, int processes, const char* quantity, const char* title) {
  Panel panel{fmt::format("{}, {} processes", title, processes),
              "fraction that participates",
              "centralised = 1",
              true,
              false,
              {}};
  for (std::size_t i = 1; i < schemes.size(); ++i) {
    Curve ours{schemes[i], i, false, {}}, papers{"paper", i, true, {}};
    for (const json& cell : cells) {
      if (cell["scheme"] != schemes[i] || cell["processes"] != processes) continue;
      const json* const reference = find(cells, schemes[0], cell["fraction"], processes);
      if (reference == nullptr) continue;
      const auto ratio = [&](const json& of, const json& to) {
        return of[quantity].get<double>() / to[quantity].get<double>();
      };
      ours.points.emplace_back(cell["fraction"], ratio(cell, *reference));
      if (cell.contains("paper") && reference->contains("paper"))
        papers.points.emplace_back(cell["fraction"], ratio(cell["paper"], (*reference)["paper"]));
    }
    panel.curves.insert(panel.curves.end(), {ours, papers});
  }
  return panel;
}

/// Figure 7: times of hash with each filler, by processes; of the paper's, only those without are known.
Panel fillers(const json& cells, double fraction) {
  constexpr std::array names{"hash", "hash-child", "hash-leaf"};
  Panel panel{fmt::format("Figure 7: hash, {} participate", fraction), "processes", "µs", true, false, {}};
  Curve papers{"hash, paper", 0, true, {}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    Curve& curve = panel.curves.emplace_back(Curve{names[i], i, false, {}});
    for (const json& cell : cells) {
      if (cell["scheme"] != names[i] || cell["fraction"] != fraction) continue;
      curve.points.emplace_back(cell["processes"], cell["seconds"].get<double>() * 1e6);
      if (cell.contains("paper"))
        papers.points.emplace_back(cell["processes"], cell["paper"]["seconds"].get<double>() * 1e6);
    }
  }
  panel.curves.push_back(papers);
  return panel;
}

/// A row for each cost of lists: times with a child and with a leaf as filler over those with none.
Table list_costs(const json& costs) {
  Table table{{"a list costs"}, {}};
  for (const json& cost : costs) {
    auto& row =
        table.rows.emplace_back(std::vector{fmt::format("{:g} of a message", cost["cost"].get<double>())});
    for (const json& cell : cost["cells"]) {
      if (cell["scheme"] != "hash") continue;
      const auto ratio = [&](const char* scheme) {
        return find(cost["cells"], scheme, cell["fraction"], cell["processes"])->at("seconds").get<double>() /
               cell["seconds"].get<double>();
      };
      row.push_back(fmt::format("{:.2f}, {:.2f}", ratio("hash-child"), ratio("hash-leaf")));
      if (table.rows.size() == 1) table.head.push_back(fmt::format("{:g}", cell["fraction"].get<double>()));
    }
    int within = 0, compared = 0;
    for (const json& cell : cost["cells"]) {
      if (cell["scheme"] != "balance" || !cell.contains("paper")) continue;
      ++compared;
      within += std::abs(cell["seconds"].get<double>() / cell["paper"]["seconds"].get<double>() - 1) <= 0.3;
    }
    row.push_back(fmt::format("{} of {}", within, compared));
  }
  table.head.push_back("balance within 30 %");
  return table;
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

void add_memory(Page& page, const Results& results) {
  const auto trees = results.json("trees_memory", page);
  if (!trees) return;
  const json& cells = (*trees)["cells"];
  int kept = 0;
  for (const json& cell : cells) kept = std::max(kept, cell["most_place_bytes"].get<int>());
  page.figure(
      "fig-trees-memory",
      "<div class=\"panels\">" +
          chart(memory_panel(cells, "most_state_bytes", "The most of a process, while it enrols")) +
          chart(memory_panel(cells, "mean_state_bytes", "The mean of all, while they enrol")) + "</div>",
      fmt::format("Memory of a process, of which {:g} participate. The root of the centralised scheme has "
                  "the whole group; all other curves are flat, or grow with the logarithm. What a member "
                  "keeps is {} bytes or less at every number of processes.",
                  cells.front()["fraction"].get<double>(), kept),
      results.source("trees_memory"));
}

void add_fillers(Page& page, const json& trees, const Source& source) {
  const json& cells = trees["cells"];
  std::string panels;
  for (const double fraction : {0.001, 0.01, 0.3, 0.9}) panels += chart(fillers(cells, fraction));
  page.figure(
      "fig-trees-fillers", "<div class=\"panels\">" + panels + "</div>",
      "Which process fills the place of one that does not participate. The paper, whose figure has no "
      "numbers, says that none is the fastest but at 0.001, and child the slowest at 0.01 and 0.3. In the "
      "model leaf is the slowest, since a list, and each filler in it, is taken to cost as much "
      "as a "
      "message, as balance's times in Table II ask for. The table below has other assumptions.",
      source);
  if (!trees.contains("list_costs")) return;
  page.figure(
      "tab-trees-fillers", html(list_costs(trees["list_costs"])),
      fmt::format(
          "What follows from that assumption, of {} processes: times with a child and with a leaf as "
          "filler over those with none, at each fraction. Only where lists cost next to nothing is child "
          "the slowest, as the paper says, and then balance is far too fast.",
          trees["list_costs"].front()["cells"].front()["processes"].get<int>()),
      source);
}

void add_trace(Page& page, const json& trees, const Source& source) {
  std::vector<Stretch> stretches;
  for (const json& stretch : trees["trace"])
    stretches.push_back({stretch["process"], stretch["since"], stretch["until"], stretch["kind"]});
  page.figure(
      "fig-trees-trace", "<div class=\"panels\">" + enrolment_timeline(stretches) + "</div>",
      "Figure 5: of 40 processes 20 enrol, children fill holes. Relocations are handled while the upward "
      "pass goes on above; nothing waits for them.",
      source);
}

void add_cells(Page& page, const json& cells, const Source& source) {
  std::string messages, times;
  int most = 0; // of the paper's Figures 6 and 8, or fewer where fewer were simulated
  for (const json& cell : cells)
    if (cell["processes"] <= 65536) most = std::max(most, cell["processes"].get<int>());
  for (const double fraction : {0.01, 0.3, 0.9}) {
    messages += chart(comparison(cells, fraction, "messages", "messages", 1));
    times += chart(comparison(cells, fraction, "seconds", "µs", 1e6));
  }
  page.figure("fig-trees-messages",
              "<div class=\"panels\">" + chart(relative(cells, most, "messages", "Figure 6: messages")) +
                  messages + "</div>",
              "Messages: the dashed lines are the paper's, and lie on ours.", source);
  page.figure(
      "fig-trees-times",
      "<div class=\"panels\">" + chart(relative(cells, most, "seconds", "Figure 8: times")) + times +
          "</div>",
      "Times: latency and overhead are fitted to hash up to 32k processes, the others are prediction. Hash "
      "is the fastest everywhere, in the paper everywhere but in seven of the smallest groups, where "
      "centralised is. Balance overtakes centralised where many of many participate.",
      source);
}

} // namespace

Panel memory_panel(const json& cells, const char* quantity, const std::string& title) {
  Panel panel{title, "processes", "bytes", true, true, {}};
  for (const json& cell : cells) {
    auto curve = std::ranges::find(panel.curves, cell["scheme"].get<std::string>(), &Curve::title);
    if (curve == panel.curves.end())
      curve = panel.curves.insert(curve, {cell["scheme"], panel.curves.size(), false, {}});
    curve->points.emplace_back(cell["processes"], cell[quantity]);
  }
  return panel;
}

Table paper_deviations(const std::vector<json>& results) {
  Table table{{"", "messages, deviation at most", "times within 15 %", "within 30 %"}, {}};
  for (const char* scheme : schemes) {
    double messages = 0;
    int compared = 0, within_15 = 0, within_30 = 0;
    for (const json& cell : results.front()["cells"]) {
      if (cell["scheme"] != scheme || !cell.contains("paper")) continue;
      const auto deviation = [&](const char* quantity) {
        return std::abs(cell[quantity].get<double>() / cell["paper"][quantity].get<double>() - 1);
      };
      ++compared;
      messages = std::max(messages, deviation("messages"));
      within_15 += deviation("seconds") <= 0.15;
      within_30 += deviation("seconds") <= 0.3;
    }
    table.rows.push_back({scheme, fmt::format("{:.2f} %", messages * 100),
                          fmt::format("{} of {} cells", within_15, compared), std::to_string(within_30)});
  }
  return table;
}

Table list_cost_table(const std::vector<json>& results) {
  return list_costs(results.front()["list_costs"]);
}

void add_trees(Page& page, const Results& results) {
  page.section(
      "trees", "Trees of system-ranked groups",
      "How processes find their places in the tree of a new group, by the library's own algorithms on a "
      "simulated Blue Gene/P, beside Table II of Langer, Venkataraman and Kale, who measured a real one.");
  if (const auto trees = results.json("trees", page)) {
    const json& cells = (*trees)["cells"];
    const Source source = results.source("trees");
    add_cells(page, cells, source);
    add_fillers(page, *trees, source);
    add_trace(page, *trees, source);
    std::vector<std::vector<std::string>> rows;
    std::ranges::transform(cells, std::back_inserter(rows), row);
    page.figure(
        "tab-trees",
        "<details><summary>All cells</summary>" +
            html({{"scheme", "fraction", "processes", "µs", "paper", "off by", "messages", "paper", "off by"},
                  rows}) +
            "</details>",
        "Table II, ours beside the paper's.", source);
  }
  add_memory(page, results);
}

} // namespace bench::report
