// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/bench.hpp"
#include "model/scheduled.hpp"

#include "collective/network.hpp"
#include "collective/selection.hpp"

#include <span>

namespace {

using namespace helper::collective;
using bench::Json;

struct Shape {
  int ranks, team;
};

struct Cost {
  double seconds;                  ///< by the formulas that the library uses for its selection
  std::optional<double> simulated; ///< by the simulator, if the cell is small enough to simulate
};

/// The networks that are modelled. `team` is set for each cell.
constexpr std::array modelled_networks{&networks[1], &networks[3], &networks[4]};
constexpr std::array shapes{Shape{1, 1}, Shape{1, 8}, Shape{1, 64}, Shape{2, 1},  Shape{2, 32},
                            Shape{8, 1}, Shape{8, 8}, Shape{32, 1}, Shape{32, 4}, Shape{128, 1}};
constexpr std::array operations{
    Operation::bcast,  Operation::reduce,  Operation::allreduce,  Operation::reduce_scatter_block,
    Operation::gather, Operation::scatter, Operation::allgather,  Operation::alltoall,
    Operation::scan,   Operation::exscan,  Operation::allgatherv, Operation::alltoallv,
    Operation::barrier};
constexpr std::array<std::size_t, 5> sizes{8, 4 << 10, 64 << 10, 1 << 20, 16 << 20};

/// A barrier has no data: it gets the smallest size.
std::span<const std::size_t> sizes_of(Operation operation) {
  return std::span(sizes).first(operation == Operation::barrier ? 1 : sizes.size());
}

Situation situation_of(int nodes, const Shape& shape, std::size_t bytes) {
  Situation situation{bytes, nodes * shape.ranks};
  situation.nodes = nodes;
  situation.most_on_node = situation.fewest_on_node = shape.ranks;
  situation.across_nodes = shape.ranks > 1;
  return situation;
}

/// Steps of a rank are not counted where there are more ranks.
constexpr std::size_t most_counted = std::size_t{1} << 17;

/// Simulates the call if the rank that sends most, out of the first, its neighbour and the last, has so few
/// messages that there are at most `most_events`.
Cost cost(double seconds, const model::ScheduledCall& call, const NetworkCosts& costs, int on_node,
          std::size_t most_events) {
  if (!call.steps || call.ranks > most_counted) return {seconds, std::nullopt};
  std::size_t messages = 0;
  for (const std::size_t rank : {std::size_t{0}, std::size_t{1}, call.ranks - 1}) {
    const auto sends =
        std::ranges::count_if(call.steps(rank), [](const model::Step& step) { return step.to >= 0; });
    messages = std::max(messages, static_cast<std::size_t>(sends) * call.chunks);
  }
  if (messages * call.ranks > most_events) return {seconds, std::nullopt};
  return {seconds, simulate(call, model::simulator_costs(costs, static_cast<std::size_t>(on_node))).seconds};
}

/// Returns what select() chooses if the library knows these costs.
Algorithm selected(Operation operation, const Situation& situation, const NetworkCosts& costs) {
  set_network_costs(costs);
  const Algorithm chosen = select(operation, situation);
  set_network_costs(default_costs);
  return chosen;
}

Json json(const Cost& cost) {
  Json made{{"seconds", cost.seconds}};
  if (cost.simulated) made["simulated"] = *cost.simulated;
  return made;
}

/// How far the formulas are from the simulator: 1.25 and 0.8 are both 25 % off.
struct Agreement {
  void add(const Cost& cost) {
    if (cost.simulated)
      percent.push_back(100 * (std::max(cost.seconds / *cost.simulated, *cost.simulated / cost.seconds) - 1));
  }
  void print(const char* whose) {
    if (percent.empty()) return;
    std::ranges::sort(percent);
    const auto at = [&](double part) {
      return percent[static_cast<std::size_t>(part * static_cast<double>(percent.size() - 1))];
    };
    fmt::print(
        "{}: within {:.0f} % of the simulator in half of {} cells, {:.0f} % in 90 of 100, {:.0f} % in all\n",
        whose, at(0.5), percent.size(), at(0.9), at(1));
  }
  std::vector<double> percent{};
};

/// Computes the cells for these numbers of nodes: what the library selects, which knows the network's costs,
/// and MPICH's time divided by its time. Simulates cells of at most `most_events` messages.
void study(const std::vector<int>& nodes, std::size_t most_events, bench::Lines& lines) {
  Agreement of_library, of_mpich;
  const auto add = [&](const Network& network, int count, const Shape& shape, Operation operation,
                       std::size_t bytes) {
    const Situation situation = situation_of(count, shape, bytes);
    NetworkCosts costs = network.costs;
    const Algorithm chosen = selected(operation, situation, costs);
    costs.team = shape.team;
    const auto cost_of = [&](Algorithm algorithm) {
      return cost(model_seconds(operation, algorithm, situation, costs),
                  model::call_of(operation, algorithm, situation, costs), costs, shape.ranks, most_events);
    };
    const Cost mpich = cost_of(Algorithm::native);
    const Cost library = chosen == Algorithm::native ? mpich : cost_of(chosen);
    of_library.add(library);
    of_mpich.add(mpich);
    lines.add({{"network", network.name},
               {"nodes", count},
               {"ranks", shape.ranks},
               {"team", shape.team},
               {"operation", name(operation)},
               {"bytes", bytes},
               {"algorithm", name(chosen)},
               {"ratio", mpich.seconds / library.seconds},
               {"library", json(library)},
               {"mpich", json(mpich)}});
  };
  for (const Network* network : modelled_networks)
    for (const int count : nodes)
      for (const Shape& shape : shapes)
        for (const Operation operation : operations)
          for (const std::size_t bytes : sizes_of(operation)) add(*network, count, shape, operation, bytes);
  of_library.print("library");
  of_mpich.print("MPICH");
}

} // namespace

int main(int argc, char** argv) {
  std::vector<int> nodes{2, 4, 16, 64, 256, 1024, 4096, 16384};
  std::size_t events = 30'000;
  bench::Program program(
      "nodes",
      "What the library selects for collective operations on up to 16,384 nodes of three networks, and how\n"
      "long they take, compared with MPICH: by its model of costs and, of few messages, by a simulator.");
  program.add_range("--nodes", nodes, "Numbers of nodes", 2, 1 << 14);
  program.add("--events", events, "Simulate cells with at most N messages", "N");
  return program.run(argc, argv, [&](bench::Lines& lines) { study(nodes, events, lines); });
}
