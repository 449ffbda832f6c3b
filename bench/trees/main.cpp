// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/program.hpp"
#include "model/blue_gene.hpp"
#include "report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace {

using namespace bench;
using helper::groups::tree::Rank;

constexpr auto description =
    R"(Enrolment in system-ranked process groups, by the library's own algorithms on a simulated Blue Gene/P,
beside what Langer, Venkataraman and Kale measured on a real one (Table II of "Distributed Algorithms for
Constructing Balanced Spanning Trees on System-ranked Process Groups").

A time is that from the begin of a broadcast, which starts all processes, to the end of a reduction over the
new group. The model's latency and overhead are fitted to the paper's hash column; --fit does it again. The
other columns are prediction.)";

struct Settings {
  std::vector<std::string> schemes{"centralised", "balance", "hash"};
  std::vector<double> fractions{0.001, 0.01, 0.1, 0.3, 0.6, 0.9, 0.99};
  std::vector<Rank> processes{2048, 4096, 8192, 16384, 32768, 65536, 131072};
  std::vector<double> list_costs;
  bool fit = false, check = false, memory = false;
  std::string json;
};

void run(const Settings& settings) {
  const Paper paper(PAPER_TABLE);
  const auto tell = [](const std::string& line) { fmt::print(stderr, "fit: {}\n", line); };
  const auto costs = settings.fit ? fit(paper, tell) : model::blue_gene::fitted;
  fmt::print(
      "Costs: latency {:.2f} us, overhead {:.2f} us at either core, link {:.2f} ns/B, cores {:.2f} ns/B\n",
      costs.latency * 1e6, costs.send_overhead * 1e6, costs.gap_per_byte * 1e9,
      costs.overhead_per_byte * 1e9);
  Cells cells;
  Lines lines("");
  for (const double fraction : settings.fractions)
    for (const Rank processes : settings.processes)
      for (const std::string& name : settings.schemes) {
        cells.push_back(run_cell(paper, named_scheme(name), fraction, processes, costs));
        lines.add(json_of(cells.back()));
      }
  const bool meets_aims = settings.memory || print_aims(cells);
  std::vector<ListCost> list_costs;
  const Rank most = std::min(std::ranges::max(settings.processes), 65536); // as in Figs. 6 and 8 of the paper
  for (const double cost : settings.list_costs) list_costs.push_back(run_list_cost(paper, cost, most, costs));
  const auto trace = run_traced(named_scheme("hash-child"), 40, costs);
  if (!settings.json.empty()) write(lines, list_costs, trace, shrinking_pictures(), costs, settings.json);
  if (settings.check && !meets_aims) throw std::runtime_error("the model is too far from the paper");
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  std::vector<std::string> names;
  for (const NamedScheme& scheme : named_schemes()) names.push_back(scheme.name);
  Program program("trees", description);
  program.add_choice("--schemes", settings.schemes, fmt::format("Which of {}", fmt::join(names, ", ")),
                     names);
  program.add_range("--fractions", settings.fractions, "Fractions of the processes that participate", 0.0,
                    1.0);
  program.add_range("--processes", settings.processes, "Numbers of processes", 1, 1 << 24);
  program.add_flag("--fit", settings.fit, "Fit the costs to the paper's figures first, for some minutes");
  program.add_flag("--check", settings.check, "Fail unless the model is as close to the paper as its aims");
  program.add_flag("--memory", settings.memory, "Look at the memory of processes: print no aims");
  program.add("--list-costs", settings.list_costs,
              "Also compute the times, at up to 64k processes, if a list and each filler in it cost as much\n"
              "as this many messages, instead of 1",
              "COST");
  program.add_json(settings.json);
  return program.run(argc, argv, [&] { run(settings); });
}
