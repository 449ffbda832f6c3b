// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "chart.hpp"
#include "common/text.hpp"
#include "figures.hpp"

#include <fmt/format.h>

#include <array>

namespace bench::report {
namespace {

using nlohmann::json;

/// The panel of a type, the last one of `panels` unless another one begins.
Panel& panel_of(const std::string& type, std::vector<Panel>& panels, const std::vector<Curve>& curves) {
  if (panels.empty() || panels.back().title != type)
    panels.push_back({type, "bytes of data", "GB/s", true, true, curves});
  return panels.back();
}

std::string charts(const std::vector<Panel>& panels) {
  std::string html = "<div class=\"panels\">";
  for (const Panel& panel : panels) html += chart(panel, Values::bytes);
  return html + "</div>";
}

void add_transfers(Page& page, const Results& results) {
  page.section("transfers", "Messages from one process to another",
               "From rank 0 to rank 1: contiguous doubles, rows, columns, structs and faces of a cube, "
               "described to MPI "
               "as datatypes.");
  const auto transfers = results.json("transfers", page);
  if (!transfers) return;
  std::vector<Curve> curves;
  std::vector<std::string> head{"type", "size"};
  for (const std::string variant : (*transfers)["variants"]) {
    const bool team = variant.find("team") != std::string::npos;
    const bool first = team && (curves.empty() || curves.back().colour % 2 == 0);
    curves.push_back({variant, first ? 1U : team ? 3U : curves.size() * 2, !team && !curves.empty(), {}});
    head.push_back(variant + ", µs");
    if (curves.size() > 1) head.emplace_back("ratio");
  }
  std::vector<Panel> panels;
  std::vector<std::vector<std::string>> rows;
  for (const json& point : (*transfers)["points"]) {
    Panel& panel = panel_of(point["type"], panels, curves);
    auto& row = rows.emplace_back(std::vector<std::string>{point["type"], size_name(point["bytes"])});
    const double native = point["seconds"][0]["median"];
    for (std::size_t i = 0; i < curves.size(); ++i) {
      panel.curves[i].points.emplace_back(point["bytes"], gigabytes(point["bytes"], point["seconds"][i]));
      const double median = point["seconds"][i]["median"];
      row.push_back(digits(median * 1e6));
      if (i > 0) row.push_back(fmt::format("{:.2f}", native / median));
    }
  }
  page.figure("fig-transfers",
              charts(panels) + "<details><summary>In microseconds</summary>" + html({head, rows}) +
                  "</details>",
              "Throughput of one-way messages.", results.source("transfers"));
}

void add_packing(Page& page, const Results& results) {
  page.section("pack", "Packing alone",
               "Data of a type made contiguous, and put back, by one thread and by two.");
  const auto pack = results.json("pack", page);
  if (!pack) return;
  constexpr std::array ways{"native", "alone", "team"};
  const std::vector<Curve> curves{
      {"MPICH", 0, false, {}}, {"1 thread", 1, false, {}}, {"2 threads", 3, true, {}}};
  std::vector<Panel> panels;
  std::vector<std::vector<std::string>> rows;
  for (const json& point : *pack) {
    Panel& panel = panel_of(point["type"], panels, curves);
    auto& row = rows.emplace_back(std::vector<std::string>{point["type"], size_name(point["bytes"])});
    for (std::size_t i = 0; i < ways.size(); ++i)
      panel.curves[i].points.emplace_back(point["bytes"],
                                          gigabytes(point["bytes"], point["pack_seconds"].at(ways[i])));
    for (const char* direction : {"pack_seconds", "unpack_seconds"})
      for (const char* way : ways)
        row.push_back(fmt::format("{:.2f}", gigabytes(point["bytes"], point[direction][way])));
  }
  page.figure(
      "fig-pack",
      charts(panels) + "<details><summary>In GB/s, packing and unpacking</summary>" +
          html({{"type", "size", "MPI_Pack", "1 thread", "2 threads", "MPI_Unpack", "1 thread", "2 threads"},
                rows}) +
          "</details>",
      "Packing, GB/s.", results.source("pack"));
}

} // namespace

double gigabytes(const json& bytes, const json& seconds) {
  return bytes.get<double>() / seconds["median"].get<double>() / 1e9;
}

void add_messages(Page& page, const Results& results) {
  add_transfers(page, results);
  add_packing(page, results);
}

} // namespace bench::report
