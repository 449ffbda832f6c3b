// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/output.hpp"
#include "common/program.hpp"
#include "topology/placement.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>

namespace {

using namespace helper::topology;

nlohmann::ordered_json pus_of(const std::vector<Cpuset>& sets) {
  auto json = nlohmann::ordered_json::array();
  for (const Cpuset& set : sets) json.push_back(set.pus());
  return json;
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Where each placement puts the members of a team on a machine that hwloc imagines.",
               "placement"};
  std::string description = "package:2 numa:1 core:4 pu:2", file;
  int members = 4;
  app.add_option("--machine", description, "As hwloc describes it; default: package:2 numa:1 core:4 pu:2")
      ->type_name("TEXT");
  app.add_option("--members", members, "Of the team; default: 4")->check(CLI::PositiveNumber)->type_name("N");
  app.add_option("--json", file, "Write everything to this file")->type_name("FILE");
  CLI11_PARSE(app, argc, argv);

  const Machine machine = Machine::synthetic(description);
  const Cpuset all = machine.usable();
  nlohmann::ordered_json json{{"machine", description},
                              {"members", members},
                              {"nodes", pus_of(machine.numa_nodes(all))},
                              {"cores", pus_of(machine.cores(all))},
                              {"policies", nlohmann::ordered_json::array()}};
  for (const char* name : {"compact", "scatter", "numa"}) {
    const std::vector<Cpuset> places = place(machine, parse_policy(name, all), all, members);
    for (std::size_t member = 0; member < places.size(); ++member)
      fmt::print("{:8} member {} on {}\n", name, member, places[member].str());
    json["policies"].push_back({{"name", name}, {"places", pus_of(places)}});
  }
  if (!file.empty()) bench::write_json(json, file);
}
