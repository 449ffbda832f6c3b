// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "chart.hpp"
#include "common/text.hpp"
#include "drawings.hpp"
#include "figures.hpp"
#include "mcmc/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace bench::report {
namespace {

using nlohmann::json;

void add_creation_model(Page& page, const Results& results) {
  page.section("creation-model", "Creating communicators, of very many processes",
               "Each way as steps, messages and time in a simulator in which every process has a processor.");
  const auto points = results.json("creation_model", page);
  if (!points) return;
  const int parent = points->front()["parent"];
  std::map<int, double> collective; // by the group's size
  for (const json& point : *points)
    if (point["way"] == "MPI_Comm_create") collective[point["group"]] = point["seconds"];
  const auto crossing = std::ranges::find_if(*points, [&](const json& point) {
    return point["way"] == "textbook" && point["seconds"] > collective.at(point["group"]);
  });
  page.figure(
      "fig-creation-model",
      "<div class=\"panels\">" +
          chart(creation_model_panel(*points,
                                     fmt::format("Figure 1: cost of creation, of {} processes", parent),
                                     "seconds", "µs", 1e6)) +
          chart(creation_model_panel(*points, "Messages, each after the one before", "steps", "steps", 1)) +
          chart(creation_model_panel(*points, "Messages in all", "messages", "messages", 1)) + "</div>",
      "On a simulated Blue Gene/P, as Figure 1 of Dinan et al. has it for the paper's algorithm, here "
      "textbook, beside MPI_Comm_create" +
          (crossing == points->end()
               ? "."
               : fmt::format(", which is faster from {} members on.", (*crossing)["group"].get<int>())) +
          " In steps textbook grows with the square of the logarithm of the group's size, direct and "
          "multiway "
          "with the logarithm, and recursive with the size, since its members take turns.",
      results.source("creation_model"));
}

/// The lines of a table of a paper, by what they begin with: the name that our results have for it.
std::map<std::string, std::string> dinan_table() {
  std::ifstream in(DINAN_TABLE);
  if (!in) throw std::runtime_error("cannot read " DINAN_TABLE);
  std::map<std::string, std::string> lines;
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(','), second = line.find(',', first + 1);
    if (line.starts_with('#') || second == std::string::npos) continue;
    lines[line.substr(0, second)] = line.substr(second + 1);
  }
  return lines;
}

/// "async," of the paper is "asynchronous" of ours, "collective,16" is "collective 16".
std::string in_paper(std::string balancing, const std::map<std::string, std::string>& paper) {
  if (balancing == "asynchronous") balancing = "async";
  std::ranges::replace(balancing, ' ', ',');
  if (balancing.find(',') == std::string::npos) balancing += ',';
  const auto line = paper.find(balancing);
  if (line == paper.end()) return "";
  std::string cells = line->second;
  for (std::size_t comma = 0; (comma = cells.find(',', comma)) != std::string::npos; comma += 2)
    cells.replace(comma, 1, ", ");
  return cells;
}

std::vector<std::string> mcmc_row(const json& result, const std::map<std::string, std::string>& paper) {
  const json& regroupings = result["regroupings"];
  return {result["balancing"],
          result["processes"].dump(),
          fmt::format("{:.3f}", result["seconds"].get<double>()),
          fmt::format("{:.3f}", result["seconds"].get<double>() / result["ideal_seconds"].get<double>()),
          fmt::format("{:.2f}, {:.2f}, {}, {}", regroupings["mean"].get<double>(),
                      regroupings["deviation"].get<double>(), regroupings["least"].get<int>(),
                      regroupings["most"].get<int>()),
          in_paper(result["balancing"], paper)};
}

void add_mcmc_model(Page& page, const json& results, const Source& source) {
  const std::array shown{"none", "asynchronous", "prompt", "collective 1", "collective 16", "collective 128"};
  Panel panel{"Figure 2: weak scaling in the model", "processes", "seconds", true, false, {}};
  for (std::size_t i = 0; i < shown.size(); ++i) panel.curves.push_back({shown[i], i, i > 2, {}});
  Curve ideal{"ideal", shown.size(), true, {}};
  for (const json& result : results) {
    if (result["balancing"] == "none")
      ideal.points.emplace_back(result["processes"], result["ideal_seconds"]);
    const auto curve = std::ranges::find(panel.curves, result["balancing"].get<std::string>(), &Curve::title);
    if (curve != panel.curves.end()) curve->points.emplace_back(result["processes"], result["seconds"]);
  }
  panel.curves.push_back(ideal);
  double most = 0;
  for (const json& result : results)
    if (result["balancing"] == "asynchronous")
      most = std::max(most, result["seconds"].get<double>() / result["ideal_seconds"].get<double>());
  page.figure(
      "fig-mcmc", "<div class=\"panels\">" + chart(panel) + "</div>",
      fmt::format(
          "With asynchronous balancing groups merge as soon as they are idle. It takes at most {:.3f} "
          "times as long as the ideal.",
          most),
      source);
}

/// All runs on the same scale.
std::string timelines(const json& results) {
  double end = 0;
  for (const json& result : results) end = std::max(end, result["seconds_to_end"].get<double>());
  std::string charts;
  for (const json& result : results) {
    std::vector<mcmc::Lifetime> groups;
    for (const json& group : result["groups"])
      groups.push_back(
          {group["first"], group["last"], group["since"], group["worked_until"], group["until"]});
    charts += mcmc::timeline(result["balancing"], groups, end);
  }
  return "<div class=\"panels\">" + charts + "</div>";
}

void add_mcmc(Page& page, const Results& results) {
  page.section(
      "mcmc", "Load balancing with such communicators",
      "A Markov chain Monte Carlo benchmark, after Dinan et al., <i>Noncollective Communicator Creation in "
      "MPI</i>, section 4.2: groups that have done their work merge with the group to the right.");
  if (const auto real = results.json("mcmc", page))
    page.figure("fig-mcmc-groups", timelines(*real),
                "Who belonged to which group when: a box is a group of those ranks, from top to bottom, blue "
                "while it "
                "has work and pale while it has none.",
                results.source("mcmc"));
  if (const auto model = results.json("mcmc_model", page))
    add_mcmc_model(page, *model, results.source("mcmc_model"));
}

void add_sysgroups(Page& page, const Results& results) {
  page.section(
      "groups", "System-ranked groups, all that was measured",
      "Groups that are only a tree, beside what MPI has for the same; of small messages many a rank waits "
      "for its parent and children alone.");
  const auto groups = results.json("groups", page);
  if (!groups) return;
  std::vector<std::vector<std::string>> rows;
  std::string last;
  double first = 0;
  for (const json& line : *groups) {
    if (!line.contains("median")) continue;
    const bool begins = line["what"] != last;
    if (begins) first = line["median"];
    rows.push_back({begins ? line["what"] : "", line["way"], digits(line["median"]), digits(line["p10"]),
                    digits(line["p90"]), fmt::format("{:.2f}", first / line["median"].get<double>())});
    last = line["what"];
  }
  page.figure("tab-groups-all", html({{"", "way", "median", "p10", "p90", "ratio"}, rows}),
              "The ratio is to the first way of each kind, MPI's: above 1 the group is faster.",
              results.source("groups"));
}

} // namespace

std::map<int, Panel> creation_panels(const json& creations) {
  std::map<int, Panel> panels;
  for (const json& creation : creations) {
    const int parent = creation["parent"];
    auto& panel =
        panels
            .try_emplace(
                parent, Panel{fmt::format("Of {} ranks", parent), "ranks of the group", "µs", true, true, {}})
            .first->second;
    std::size_t index = 0;
    for (const auto& [way, seconds] : creation["seconds"].items()) {
      const json collectives = creation.value("collective_over_parent", json::array());
      const bool collective = std::find(collectives.begin(), collectives.end(), way) != collectives.end();
      if (panel.curves.size() == index) panel.curves.push_back({way, index, collective, {}});
      panel.curves[index++].points.emplace_back(creation["group"], seconds.get<double>() * 1e6);
    }
  }
  return panels;
}

const std::vector<std::string>& enrolment_results() {
  static const std::vector<std::string> names{"enrolments-2", "enrolments-8", "enrolments-32"};
  return names;
}

Table enrolment_table(const std::vector<json>& results) {
  Table table{{"ranks", "fraction"}, {}};
  for (const json& result : results) {
    for (const json& cell : result) {
      const std::string ranks = cell["ranks"].dump(), fraction = cell["fraction"].dump();
      if (table.rows.empty() || table.rows.back()[0] != ranks || table.rows.back()[1] != fraction)
        table.rows.push_back({ranks, fraction});
      if (table.rows.size() == 1) table.head.push_back(cell["scheme"]);
      table.rows.back().push_back(fmt::format("{}, {}, {}", cell["messages"].get<int>(),
                                              cell["model_messages"].get<int>(),
                                              digits(cell["microseconds"])));
    }
  }
  return table;
}

Panel creation_model_panel(const json& points, const std::string& title, const char* quantity,
                           const std::string& y, double scale) {
  Panel panel{title, "processes of the group", y, true, true, {}};
  for (const json& point : points) {
    auto curve = std::ranges::find(panel.curves, point["way"].get<std::string>(), &Curve::title);
    if (curve == panel.curves.end())
      curve = panel.curves.insert(
          curve, {point["way"], panel.curves.size(), point["collective_over_parent"].get<bool>(), {}});
    curve->points.emplace_back(point["group"], point[quantity].get<double>() * scale);
  }
  return panel;
}

Drawing draw_creation_model(const std::vector<json>& results) {
  const json& points = results.front();
  const int parent = points.front()["parent"];
  return draw(creation_model_panel(points, fmt::format("Cost of creation, of {} processes", parent),
                                   "seconds", "µs", 1e6));
}

Table mcmc_table(const std::vector<json>& results) {
  const auto paper = dinan_table();
  Table table{{"balancing", "processes", "seconds", "× ideal", "regroupings: mean, deviation, least, most",
               "in the paper (8192)"},
              {}};
  for (const json& result : results) {
    int most = 0;
    for (const json& run : result) most = std::max(most, run["processes"].get<int>());
    for (const json& run : result)
      if (run["processes"] == most) table.rows.push_back(mcmc_row(run, paper));
  }
  return table;
}

const std::vector<std::string>& mcmc_threads_results() {
  static const std::vector<std::string> names{"mcmc_threads-2", "mcmc_threads-4", "mcmc_threads-8"};
  return names;
}

Table mcmc_threads_table(const std::vector<json>& results) {
  Table table{{"balancing"}, {{"the ideal, with a processor for each rank"}}};
  const auto seconds = [](const json& of) { return fmt::format("{:.3f}", of.get<double>()); };
  for (const json& result : results) {
    table.head.push_back(fmt::format("{} ranks", result.front()["processes"].get<int>()));
    table.rows.front().push_back(seconds(result.front()["ideal_seconds"]));
    table.rows.resize(result.size() + 1);
    for (std::size_t i = 0; i < result.size(); ++i) {
      auto& row = table.rows[i + 1];
      if (row.empty()) row.push_back(result[i]["balancing"]);
      row.push_back(seconds(result[i]["seconds"]));
    }
  }
  return table;
}

void add_groups(Page& page, const Results& results) {
  add_creation_model(page, results);
  add_mcmc(page, results);
  add_sysgroups(page, results);
}

} // namespace bench::report
