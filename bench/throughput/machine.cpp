// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "machine.hpp"

#include "collective/cost.hpp"

#include <mpi.h>

#include <cctype>
#include <fstream>
#include <sched.h>

namespace bench {
namespace {

std::string processor_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  return "unknown";
}

/// Returns the cores that the ranks of `node` may run on. It is right whether or not the launcher bound the
/// ranks.
int processing_units(MPI_Comm node) {
  cpu_set_t mine, all;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  PMPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, node);
  return CPU_COUNT(&all);
}

} // namespace

Machine find_machine() {
  char host[MPI_MAX_PROCESSOR_NAME];
  int length;
  PMPI_Get_processor_name(host, &length);
  Machine machine{host, processor_name(), mpi_version(), 0, 0, 0, 0};
  MPI_Comm node;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  PMPI_Comm_size(MPI_COMM_WORLD, &machine.ranks);
  PMPI_Comm_size(node, &machine.ranks_per_node);
  int on_node = 0;
  PMPI_Comm_rank(node, &on_node);
  machine.nodes = on_node == 0 ? 1 : 0; // only the first rank of a node counts it
  machine.processing_units = processing_units(node);
  PMPI_Comm_free(&node);
  PMPI_Allreduce(MPI_IN_PLACE, &machine.nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  PMPI_Allreduce(MPI_IN_PLACE, &machine.ranks_per_node, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  PMPI_Allreduce(MPI_IN_PLACE, &machine.processing_units, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return machine;
}

helper::collective::Operation in_library(const Operation& operation) {
  std::string name = std::string(operation.function).substr(4); // without MPI_
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  int number = 0;
  while (helper::collective::name(static_cast<helper::collective::Operation>(number)) != name) ++number;
  return static_cast<helper::collective::Operation>(number);
}

Json modelled(const Operation& operation, std::size_t bytes, bool native, const Machine& machine) {
  namespace library = helper::collective;
  if (machine.nodes == 1) return {};
  library::Situation situation{bytes, machine.ranks};
  situation.nodes = machine.nodes;
  situation.most_on_node = situation.fewest_on_node = machine.ranks_per_node;
  situation.across_nodes = machine.ranks_per_node > 1;
  situation.element = sizeof(double);
  const library::Operation called = in_library(operation);
  const library::Algorithm algorithm =
      native ? library::Algorithm::native : library::select(called, situation);
  return {{"algorithm", name(algorithm)}, {"seconds", model_seconds(called, algorithm, situation)}};
}

} // namespace bench
