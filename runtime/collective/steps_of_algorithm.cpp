// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/cost.hpp"
#include "collective/dispatch.hpp"
#include "collective/scheduled.hpp"

namespace helper::collective {

namespace {

// These append the steps of an algorithm that several operations have.

void append_linear(Schedule& schedule, Operation operation, std::size_t root) {
  if (operation == Operation::reduce) {
    schedule.whole().reduce_linear(root);
  } else {
    is_gather(operation) ? schedule.gather_linear(root) : schedule.scatter_linear(root);
  }
}

void append_binomial(Schedule& schedule, Operation operation, std::size_t root) {
  if (is_regular_rooted(operation)) {
    is_gather(operation) ? schedule.gather(root) : schedule.scatter(root);
  } else {
    schedule.whole();
    operation == Operation::bcast ? schedule.bcast_by_tree(root) : schedule.reduce_by_tree(root);
  }
}

void append_chain(Schedule& schedule, Operation operation, std::size_t root) {
  schedule.whole();
  if (operation == Operation::bcast) {
    schedule.bcast_by_chain(root);
  } else {
    operation == Operation::scan ? schedule.scan_by_chain() : schedule.exscan_by_chain();
  }
}

void append_doubling(Schedule& schedule, Operation operation) {
  if (is_allgather(operation)) {
    schedule.allgather_by_doubling();
  } else if (is_scan(operation)) {
    schedule.whole();
    operation == Operation::scan ? schedule.scan_by_doubling() : schedule.exscan_by_doubling();
  } else {
    schedule.whole().allreduce_by_doubling();
  }
}

} // namespace

void append_steps(Schedule& schedule, Operation operation, Algorithm algorithm, std::size_t root) {
  switch (algorithm) {
  case Algorithm::dissemination:
    schedule.whole().dissemination();
    return;
  case Algorithm::linear:
    return append_linear(schedule, operation, root);
  case Algorithm::binomial:
    return append_binomial(schedule, operation, root);
  case Algorithm::pipelined_tree:
    schedule.whole().bcast_by_tree(root);
    return;
  case Algorithm::chain:
    return append_chain(schedule, operation, root);
  case Algorithm::recursive_doubling:
    return append_doubling(schedule, operation);
  case Algorithm::reduce_scatter_allgather:
    schedule.reduce_scatter_by_pairs().allgather_by_pairs();
    return;
  case Algorithm::reduce_scatter_gather:
    schedule.reduce_scatter_by_pairs().gather_linear(root);
    return;
  case Algorithm::pairwise:
    if (is_reduce_scatter(operation)) {
      schedule.reduce_scatter_by_pairs();
    } else {
      is_allgather(operation) ? schedule.allgather_by_pairs(lanes) : schedule.alltoall_by_pairs(lanes);
    }
    return;
  case Algorithm::recursive_halving:
    schedule.reduce_scatter_by_halving();
    if (operation == Operation::reduce) schedule.gather(root);
    if (operation == Operation::allreduce) schedule.allgather_by_doubling();
    return;
  case Algorithm::ring:
    if (!is_allgather(operation)) schedule.reduce_scatter_by_ring();
    if (!is_reduce_scatter(operation)) schedule.allgather_by_ring();
    return;
  case Algorithm::scatter_allgather:
    schedule.scatter(root).allgather_by_doubling().without_messages_to(root);
    return;
  case Algorithm::bruck:
    is_alltoall(operation) ? schedule.alltoall_by_bruck() : schedule.allgather_by_bruck();
    return;
  case Algorithm::two_level: // on nodes of consecutive ranks
    schedule.allreduce_two_level(schedule.ranks() / schedule.nodes());
    return;
  case Algorithm::native:
  case Algorithm::shm_linear:
  case Algorithm::shm_cico:
  case Algorithm::shm_mapped:
  case Algorithm::shm_chain:
  case Algorithm::cma:
  case Algorithm::algorithms:
    return;
  }
}

} // namespace helper::collective
