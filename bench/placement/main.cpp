// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/bench.hpp"
#include "topology/placement.hpp"

namespace {

using namespace helper::topology;

bench::Json pus_of(const std::vector<Cpuset>& sets) {
  auto json = bench::Json::array();
  for (const Cpuset& set : sets) json.push_back(set.pus());
  return json;
}

} // namespace

int main(int argc, char** argv) {
  constexpr const char* description = "package:2 numa:1 core:4 pu:2";
  constexpr int members = 4;
  std::string file;
  bench::Program program(
      "placement", "Where each placement puts the members of a team on a machine that hwloc imagines.", file);
  return program.run(argc, argv, [&] {
    const Machine machine = Machine::described(description);
    const Cpuset all = machine.usable();
    bench::Json json{{"machine", description},
                     {"members", members},
                     {"nodes", pus_of(machine.numa_nodes(all))},
                     {"cores", pus_of(machine.cores(all))},
                     {"policies", bench::Json::array()}};
    for (const char* name : {"compact", "scatter", "numa"}) {
      const std::vector<Cpuset> places = place(machine, parse_policy(name, all), all, members);
      for (std::size_t member = 0; member < places.size(); ++member)
        fmt::print("{:8} member {} on {}\n", name, member, places[member].str());
      json["policies"].push_back({{"name", name}, {"places", pus_of(places)}});
    }
    if (!file.empty()) bench::write_json(json, file);
  });
}
