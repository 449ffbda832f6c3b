// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "modelled.hpp"

#include "collective/cost.hpp"

namespace bench {
namespace {

namespace library = helper::collective;

library::Operation in_library(Operation operation) {
  switch (operation) {
  case Operation::allreduce:
    return library::Operation::allreduce;
  case Operation::bcast:
  case Operation::bcast_vector:
    return library::Operation::bcast;
  case Operation::reduce:
    return library::Operation::reduce;
  case Operation::reduce_scatter:
    return library::Operation::reduce_scatter_block;
  case Operation::scan:
    return library::Operation::scan;
  case Operation::exscan:
    return library::Operation::exscan;
  case Operation::allgather:
    return library::Operation::allgather;
  case Operation::allgatherv:
    return library::Operation::allgatherv;
  case Operation::gather:
    return library::Operation::gather;
  case Operation::scatter:
    return library::Operation::scatter;
  case Operation::alltoall:
    return library::Operation::alltoall;
  case Operation::alltoallv:
    return library::Operation::alltoallv;
  default:
    return library::Operation::barrier;
  }
}

} // namespace

std::optional<Modelled> modelled(Operation operation, std::size_t bytes, bool native,
                                 const Machine& machine) {
  if (machine.nodes == 1) return std::nullopt;
  library::Situation situation{bytes, machine.ranks};
  situation.nodes = machine.nodes;
  situation.most_on_node = machine.ranks_per_node;
  situation.across_nodes = machine.ranks_per_node > 1;
  situation.element = sizeof(double);
  const library::Operation called = in_library(operation);
  const library::Algorithm algorithm =
      native ? library::Algorithm::native : library::select(called, situation);
  return Modelled{std::string(name(algorithm)), model_seconds(called, algorithm, situation)};
}

} // namespace bench
