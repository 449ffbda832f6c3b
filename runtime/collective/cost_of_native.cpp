// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// What the operations cost in MPICH, by its algorithms.

#include "collective/modelled_call.hpp"

namespace helper::collective {

/// MPICH reduces within each node first, and has one rank of each node communicate with the others.
double ModelledCall::native_reduction() const noexcept {
  const double within = log(on_node);
  const double passes = operation == Operation::reduce ? within : 2 * within;
  const ChunkWork local{0, passes, 0, within * bytes, passes * bytes, passes};
  const double steps = log(nodes);
  if (bytes <= 2048) return total(local) + total({steps, steps, steps * bytes, steps * bytes});
  const ChunkWork folded = is_power(nodes) ? ChunkWork{} : ChunkWork{2, 2, 2 * bytes, bytes};
  return total(local) + total(folded) +
         total({2 * steps, 2 * steps, 2 * bytes * others(nodes), bytes * others(nodes)});
}

double ModelledCall::native_bcast() const noexcept {
  const double steps = log(nodes);
  const double within = log(on_node);
  const ChunkWork local{0, within, 0, 0, within * bytes, within};
  if (bytes < 12288 || ranks < 8) return total(local) + total({steps, steps, steps * bytes});
  const bool doubles = bytes < 524288 && is_power(ranks);
  const double all = steps + (doubles ? steps : nodes - 1);
  return total(local) + total({all, all, 2 * bytes * others(nodes)});
}

/// All of a node meet first, then one rank of each, and that one lets the others go on.
double ModelledCall::native_barrier() const noexcept {
  const double between = log(nodes);
  const double within = 2 * log(on_node);
  return total({between, between + within, 0, 0, 0, within});
}

/// A rank combines twice what comes in a step. What the nodes before have comes to a node's first rank at
/// last, and from that to the others, behind the word that there is something.
double ModelledCall::native_scan() const noexcept {
  const double between = log(nodes);
  if (on_node == 1) return total({between, between, between * bytes, 2 * between * bytes});
  const double within = log(on_node);
  return total({between + 1, between + 2 + 3 * within, (between + 1) * bytes,
                (2 * (between + within) + 1) * bytes, (2 * within + 1) * bytes, 3 * within + 1});
}

double ModelledCall::native() const noexcept {
  const double steps = log(ranks);
  switch (operation) {
  case Operation::allreduce:
  case Operation::reduce:
    return native_reduction();
  case Operation::bcast:
    return native_bcast();
  case Operation::reduce_scatter:
  case Operation::reduce_scatter_block: {
    ChunkWork work = of_halvings_in_order(bytes);
    work.reduced = bytes * others(ranks);
    if (bytes < 524288) return total(work);
    work.steps = work.messages = ranks - 1;
    return in_turn(work);
  }
  case Operation::allgather:
  case Operation::allgatherv: {
    if (native_rings(operation, static_cast<std::size_t>(bytes), static_cast<std::size_t>(ranks)))
      return total(round_ring(1, bytes));
    ChunkWork work = of_halvings_in_order(bytes);
    if (!is_power(ranks)) work.local += bytes; // Bruck's
    return total(work);
  }
  case Operation::alltoall:
    if (ranks >= 8 && bytes <= 256) return total(of_bruck(bytes * ranks));
    return alltoall_pairwise(bytes <= 32768 ? 32 : 1);
  case Operation::gather:
  case Operation::scatter: { // half of the data is staged on its way along the tree
    const double between = log(nodes);
    return total({between, steps, bytes * (ranks - on_node), 0, bytes * ((ranks - 1) / 2 + on_node - 1),
                  steps - between});
  }
  case Operation::alltoallv:
  case Operation::alltoallw:
    return alltoall_pairwise(32);
  case Operation::barrier:
    return native_barrier();
  case Operation::scan:
    return native_scan();
  default: { // exscan combines twice in each step, too
    const double between = log(nodes);
    const double within = steps - between;
    return total({between, steps, between * bytes * on_node, 2 * steps * bytes, within * bytes, within});
  }
  }
}

} // namespace helper::collective
