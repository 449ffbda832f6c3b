// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/program.hpp"
#include "model/blue_gene.hpp"
#include "report.hpp"
#include "simulated.hpp"

namespace {

using namespace mcmc;
using Kind = Balancing::Kind;

void run(int most_processes, bench::Lines& lines) {
  for (int processes = 32; processes <= most_processes; processes *= 2) {
    std::vector<Balancing> all{{Kind::none}, {Kind::asynchronous}, {Kind::prompt}};
    for (int interval = 1; interval <= 128; interval *= 2) all.push_back({Kind::collective, interval});
    for (const Balancing& balancing : all) {
      const Workload workload{.processes = processes};
      lines.add(json_of({workload, balancing, simulate(workload, balancing, model::blue_gene::fitted)}));
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  int processes = 8192;
  bench::Program program(
      "mcmc_model",
      "Load balancing of a Markov chain Monte Carlo benchmark by merging groups of processes, on a\n"
      "simulated Blue Gene/P, as in Table 1 of Dinan et al., \"Noncollective Communicator Creation in "
      "MPI\".");
  program.add_range("--processes", processes, "Most processes", 32, 1 << 20);
  return program.run(argc, argv, [&](bench::Lines& lines) { run(processes, lines); });
}
