// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "report.hpp"

#include "common/output.hpp"

#include <nlohmann/json.hpp>

namespace bench {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const Machine& machine) {
  return {{"host", machine.host},
          {"processor", machine.processor},
          {"processing_units", machine.processing_units},
          {"ranks", machine.ranks},
          {"nodes", machine.nodes},
          {"ranks_per_node", machine.ranks_per_node},
          {"mpi", machine.mpi}};
}

ordered_json to_json(const Settings& settings) {
  return {{"min_bytes", settings.min_bytes},
          {"max_bytes", settings.max_bytes},
          {"stride", settings.stride},
          {"memory", name(settings.memory)},
          {"budget_seconds", settings.budget}};
}

ordered_json to_json(const Point& point, const std::vector<Variant>& variants) {
  ordered_json json{
      {"bytes", point.bytes}, {"samples", point.repetitions}, {"variants", ordered_json::array()}};
  for (std::size_t i = 0; i < variants.size(); ++i) {
    json["variants"].push_back({{"name", variants[i].name()},
                                {"team_size", variants[i].team}, // 0: native
                                {"oversubscribed", variants[i].oversubscribed},
                                {"calls_per_sample", point.calls[i]},
                                {"seconds",
                                 {{"p10", point.seconds[i].p10},
                                  {"median", point.seconds[i].median},
                                  {"p90", point.seconds[i].p90}}},
                                {"bytes_per_second", point.bandwidth(i)},
                                {"speedup", point.speedup(i)}});
    if (point.modelled[i])
      json["variants"].back()["modelled"] = {{"algorithm", point.modelled[i]->algorithm},
                                             {"seconds", point.modelled[i]->seconds}};
  }
  return json;
}

} // namespace

void write_json(const Report& report, const std::string& file) {
  ordered_json json{{"machine", to_json(report.machine)},
                    {"settings", to_json(report.settings)},
                    {"operations", ordered_json::object()}};
  for (const Series& series : report.series)
    for (const Point& point : series.points)
      json["operations"][name(series.operation)].push_back(to_json(point, report.variants));

  write_json(json, file);
}

} // namespace bench
