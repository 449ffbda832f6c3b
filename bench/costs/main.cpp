// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/output.hpp"
#include "common/program.hpp"
#include "costs.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <mpi.h>
#include <nlohmann/json.hpp>

namespace {

using namespace bench;

Costs measure() {
  Costs costs;
  const auto add = [&](const Costs& more) { costs.insert(costs.end(), more.begin(), more.end()); };
  add(interception_costs());
  add(outstanding_costs());
  add(small_message_costs());
  add(waiting_costs());
  add(region_costs());
  int provided;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  add(idle_costs()); // before threads are bound
  add(phase_costs());
  add(publish_costs());
  add(copy_costs());
  MPI_Finalize();
  return costs;
}

void print(const Costs& costs) {
  fmt::print("{:58} {:>9} {:>9} {:>9}  {:12} {:>7}\n", "", "p10", "median", "p90", "", "limit");
  for (const auto& [what, unit, value, limit] : costs)
    fmt::print("{:58} {:9.2f} {:9.2f} {:9.2f}  {:12} {:>7}\n", what, value.p10, value.median, value.p90, unit,
               limit ? fmt::format("{:g}", *limit) : "");
}

void write_json(const Costs& costs, const std::string& file) {
  nlohmann::ordered_json json;
  for (const auto& [what, unit, value, limit] : costs) {
    json.push_back(
        {{"what", what}, {"unit", unit}, {"p10", value.p10}, {"median", value.median}, {"p90", value.p90}});
    if (limit) json.back()["limit"] = *limit;
  }
  bench::write_json(json, file);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "What helper teams cost where they do not help: phases, handing work over, waiting, interception.\n"
      "To be run by itself, without mpiexec, on an idle machine with at least two cores.",
      "costs"};
  std::string json;
  app.add_option("--json", json, "Write the figures to this file")->type_name("FILE");
  return run_program(app, argc, argv, [&] {
    const Costs costs = measure();
    print(costs);
    if (!json.empty()) write_json(costs, json);
  });
}
