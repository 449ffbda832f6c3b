// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "chart.hpp"
#include "figures.hpp"
#include "trees/picture.hpp"
#include "trees/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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

/// Figures 1 to 4, and what comes of the same tree.
void add_pictures(Page& page, const json& trees, const Source& source) {
  const auto add = [&](const char* id, const char* figure, const std::string& caption) {
    std::string pictures;
    for (const json& picture : trees["pictures"]) {
      if (picture["figure"] != figure) continue;
      TreePicture tree{figure, picture["title"], {}};
      for (const json& vertex : picture["vertices"])
        tree.vertices.push_back(
            {vertex["process"], vertex["parent"], vertex["participates"], vertex["label"]});
      pictures += tree_picture(tree);
    }
    page.figure(id, "<div class=\"panels\">" + pictures + "</div>", caption, source);
  };
  add("fig-trees-child", "1",
      "Figure 1, of a tree of our own: the upward pass with a child as filler, level by level. Dashed "
      "processes do not participate.");
  add("fig-trees-leaf", "2", "Figure 2: the same with a leaf as filler.");
  add("fig-trees-ranks", "3", "Figure 3: the ranks after the downward pass of hash, with a child as filler.");
  add("fig-trees-none", "4",
      "Figure 4: without filler, the size of the subtree that each process reports, and the ranks.");
  add("fig-trees-places", "places", "The trees of the new group that each scheme makes of it.");
}

/// In how many cells something is so, and of how many.
struct Count {
  int so = 0, all = 0;

  void add(bool is_so) { so += is_so, ++all; }
  std::string text() const { return fmt::format("in {} of {} cells", so, all); }
};

double our_seconds(const json& cell) {
  return cell["seconds"];
}

/// Not a number where the paper has none.
double papers_seconds(const json& cell) {
  return cell.contains("paper") ? cell["paper"]["seconds"].get<double>()
                                : std::numeric_limits<double>::quiet_NaN();
}

/// In how many of the cells that have numbers of all of them a scheme takes less time than each of others;
/// more, if `sign` is -1.
Count ahead(const json& cells, const char* scheme, std::initializer_list<const char*> others,
            double (*seconds)(const json&), int sign = 1) {
  Count count;
  for (const json& cell : cells) {
    if (cell["scheme"] != scheme) continue;
    double least = std::numeric_limits<double>::infinity();
    bool compared = !std::isnan(seconds(cell));
    for (const char* const other : others) {
      const json* const beside = find(cells, other, cell["fraction"], cell["processes"]);
      compared = compared && beside != nullptr && !std::isnan(seconds(*beside));
      if (compared) least = std::min(least, sign * seconds(*beside));
    }
    if (compared) count.add(sign * seconds(cell) < least);
  }
  return count;
}

/// The most that the messages differ from the paper's, in percent.
double most_percent(const json& cells) {
  double most = 0;
  for (const json& cell : cells)
    if (cell.contains("paper"))
      most = std::max(most,
                      std::abs(cell["messages"].get<double>() / cell["paper"]["messages"].get<double>() - 1));
  return most * 100;
}

void add_fillers(Page& page, const json& cells, const Source& source) {
  std::string panels;
  for (const double fraction : {0.001, 0.01, 0.3, 0.9}) panels += chart(fillers(cells, fraction));
  page.figure(
      "fig-trees-fillers", "<div class=\"panels\">" + panels + "</div>",
      fmt::format(
          "Which process fills the place of one that does not participate. The paper, whose figure has no "
          "numbers, says that none is the fastest but at 0.001, and child the slowest at 0.01 and 0.3. In "
          "the model leaf is the slowest {}. A list, and each filler in it, is taken to cost as much as a "
          "message there; what follows from other assumptions stands further up.",
          ahead(cells, "hash-leaf", {"hash", "hash-child"}, our_seconds, -1).text()),
      source);
}

void add_trace(Page& page, const json& trees, const Source& source) {
  std::vector<Stretch> stretches;
  int last = 0;
  double reported = 0;
  for (const json& stretch : trees["trace"]) {
    const Stretch& added = stretches.emplace_back(
        Stretch{stretch["process"], stretch["since"], stretch["until"], stretch["kind"]});
    last = std::max(last, added.process);
    if (added.kind == "report") reported = std::max(reported, added.since);
  }
  Count early;
  for (const Stretch& stretch : stretches)
    if (stretch.kind == "relocation") early.add(stretch.until < reported);
  page.figure("fig-trees-trace", "<div class=\"panels\">" + enrolment_timeline(stretches) + "</div>",
              fmt::format("Figure 5: {} processes, of which children fill holes. Of {} relocations {} have "
                          "been handled when the last report of the upward pass comes.",
                          last + 1, early.all, early.so),
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
              fmt::format("Messages: the dashed lines are the paper's. Ours are within {:.1f} % of them.",
                          most_percent(cells)),
              source);
  const auto hash = [&](double (*seconds)(const json&)) {
    return ahead(cells, "hash", {"centralised", "balance"}, seconds).text();
  };
  const auto balance = [&](double (*seconds)(const json&)) {
    return ahead(cells, "balance", {"centralised"}, seconds).text();
  };
  page.figure(
      "fig-trees-times",
      "<div class=\"panels\">" + chart(relative(cells, most, "seconds", "Figure 8: times")) + times +
          "</div>",
      fmt::format("Times: latency and overhead are fitted to hash up to 32k processes, the others are "
                  "prediction. Hash is the fastest {}, in the paper {}. Balance is ahead of centralised {}, "
                  "in the paper {}.",
                  hash(our_seconds), hash(papers_seconds), balance(our_seconds), balance(papers_seconds)),
      source);
}

} // namespace

Panel memory_panel(const json& cells, const char* quantity, const std::string& title) {
  Panel panel{title, "processes", "bytes", true, true, {}};
  for (const json& cell : cells) {
    add_point(panel, cell["scheme"], cell["processes"], cell[quantity]);
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
  const auto trees = results.json("trees", page);
  if (!trees) return;
  const json& cells = (*trees)["cells"];
  const Source source = results.source("trees");
  add_pictures(page, *trees, source);
  add_trace(page, *trees, source);
  add_cells(page, cells, source);
  add_fillers(page, cells, source);
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

} // namespace bench::report
