// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/cost.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace helper::collective {

namespace {

/// This is what a rank does with a chunk of data: steps that wait for one another, messages in all of them,
/// and the bytes of these that go through its node's link, that it reduces, or that stay within the node, to
/// which further steps may lead.
struct ChunkWork {
  double steps = 0;
  double messages = 0;
  double wire = 0;
  double reduced = 0;
  double local = 0;
  double local_steps = 0;

  double latency() const noexcept {
    return steps * network_costs.latency + local_steps * network_costs.local_latency;
  }
  double on_wire() const noexcept { return wire * network_costs.per_byte; }
  double on_processor() const noexcept {
    return messages * network_costs.overhead + local * network_costs.local_byte +
           reduced * network_costs.reduced_byte;
  }
  double total() const noexcept { return latency() + on_wire() + on_processor(); }
};

/// Returns the seconds of chunks that are under way together: the slowest part of the work decides, or their
/// number.
double pipelined(const ChunkWork& work, double chunks) noexcept {
  return work.total() +
         (chunks - 1) * std::max({work.on_wire(), work.on_processor(), work.total() / double{lanes}});
}

/// Holds the numbers of a situation.
struct ModelledCall {
  ModelledCall(Operation which, const Situation& situation)
      : operation(which), ranks(situation.ranks), nodes(situation.nodes), on_node(situation.most_on_node),
        bytes(static_cast<double>(situation.bytes)), chunk_bytes(situation.chunk) {}

  /// Returns the steps of a tree, or of halving, among so many.
  static double log(double count) noexcept { return std::ceil(std::log2(count)); }
  /// Returns the part of data that is not a rank's own.
  static double others(double count) noexcept { return (count - 1) / count; }
  /// Returns the bytes of a chunk, of which there are up to `most`.
  double chunk(std::size_t most) const noexcept { return std::min(bytes, static_cast<double>(most)); }
  double chunks(double of_bytes) const noexcept { return std::max(1.0, std::ceil(bytes / of_bytes)); }

  bool is_allgather() const noexcept {
    return operation == Operation::allgather || operation == Operation::allgatherv;
  }
  bool is_reduce_scatter() const noexcept {
    return operation == Operation::reduce_scatter || operation == Operation::reduce_scatter_block;
  }

  ChunkWork of_passes(double steps_of_pass, double messages_of_pass, double of) const noexcept;
  double by_schedule(double steps_of_pass) const noexcept;
  double by_all_pairs() const noexcept;
  double whole_vectors(bool is_tree) const noexcept;
  double two_level() const noexcept;
  double down_tree() const noexcept;
  double along_chain(bool reduces) const noexcept;
  double native() const noexcept;
  double native_reduction() const noexcept;
  double native_bcast() const noexcept;

  Operation operation;
  double ranks, nodes, on_node, bytes;
  std::size_t chunk_bytes;
};

/// Returns the work on a chunk whose data go through one pass or two, of so many steps each; every rank gets
/// the shares of all others, or sends it to them.
ChunkWork ModelledCall::of_passes(double steps_of_pass, double messages_of_pass, double of) const noexcept {
  const double passes = is_reduce_scatter() || is_allgather() ? 1 : 2;
  const bool reduces = operation != Operation::bcast && !is_allgather();
  return {passes * steps_of_pass, passes * messages_of_pass,
          passes * of * ((ranks - on_node) / ranks) * on_node,
          reduces ? of * others(ranks) / network_costs.team : 0, passes * of * ((on_node - 1) / ranks)};
}

double ModelledCall::by_schedule(double steps_of_pass) const noexcept {
  const double of = chunk(scheduled_chunk(chunk_bytes, static_cast<std::size_t>(ranks)));
  ChunkWork work = of_passes(steps_of_pass, steps_of_pass, of);
  if (is_allgather() && chunks(of) > 1) work.local += of / network_costs.team; // it goes through staging
  return pipelined(work, chunks(of));
}

/// Every rank sends to every other in one step; in an allgather a number of them at a time.
double ModelledCall::by_all_pairs() const noexcept {
  if (is_allgather()) return of_passes((ranks - 1) / lanes, ranks - 1, bytes).total();
  const double of = chunk(chunk_bytes);
  return pipelined(of_passes(1, ranks - 1, of), chunks(of));
}

/// All of the data go with each of few messages, of which the first ones stay within a node. Along a tree one
/// rank of a node sends to other nodes, otherwise all do.
double ModelledCall::whole_vectors(bool is_tree) const noexcept {
  const double between = log(nodes);
  const double within = log(ranks) - between;
  return ChunkWork{between,
                   log(ranks),
                   between * bytes * (is_tree ? 1 : on_node),
                   operation == Operation::bcast ? 0 : log(ranks) * bytes,
                   within * bytes,
                   within}
      .total();
}

double ModelledCall::two_level() const noexcept {
  const double of =
      chunk(scheduled_chunk(std::min(chunk_bytes, nodes_chunk), static_cast<std::size_t>(nodes)));
  const double steps = 2 * log(nodes);
  return pipelined({steps, 2 * (on_node - 1) + steps, 2 * of * others(nodes),
                    of * (others(on_node) + others(nodes) / on_node) / network_costs.team,
                    2 * of * others(on_node), 2},
                   chunks(of));
}

/// Chunks take each hop from rank to rank one behind the other.
double ModelledCall::along_chain(bool reduces) const noexcept {
  const double of = chunk(chunk_bytes);
  const double reduced = reduces ? of / network_costs.team : 0;
  const ChunkWork between{1, 2, of, reduced};
  const ChunkWork within{0, 2, 0, reduced, of, 1};
  return (nodes - 1) * between.total() + (ranks - nodes) * within.total() +
         (chunks(of) - 1) * (between.on_wire() + between.on_processor());
}

double ModelledCall::down_tree() const noexcept {
  const double of = chunk(chunk_bytes);
  if (chunks(of) > static_cast<double>(chain_chunks_per_rank) * ranks) return along_chain(false);
  const double between = log(nodes);
  const double within = log(ranks) - between;
  return pipelined({between, log(ranks), between * of, 0, within * of, within}, chunks(of));
}

/// MPICH reduces within each node first, and has one rank of each node communicate with the others.
double ModelledCall::native_reduction() const noexcept {
  const double within = log(on_node);
  const ChunkWork local{0, 2 * within, 0, within * bytes, 2 * within * bytes, 2 * within};
  const double steps = log(nodes);
  if (bytes <= 2048) return local.total() + ChunkWork{steps, steps, steps * bytes, steps * bytes}.total();
  const bool is_folded = !std::has_single_bit(static_cast<unsigned>(nodes));
  const ChunkWork folded = is_folded ? ChunkWork{2, 2, 2 * bytes, bytes} : ChunkWork{};
  return local.total() + folded.total() +
         ChunkWork{2 * steps, 2 * steps, 2 * bytes * others(nodes), bytes}.total();
}

double ModelledCall::native_bcast() const noexcept {
  const double steps = log(nodes);
  const double within = log(on_node);
  const ChunkWork local{0, within, 0, 0, within * bytes, within};
  if (bytes < 12288 || ranks < 8) return local.total() + ChunkWork{steps, steps, steps * bytes}.total();
  const bool doubles = bytes < 524288 && std::has_single_bit(static_cast<unsigned>(ranks));
  const double all = steps + (doubles ? steps : nodes - 1);
  return local.total() + ChunkWork{all, all, 2 * bytes}.total();
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
    const double all = bytes < 524288 ? steps : ranks - 1;
    return ChunkWork{all, all, bytes * others(ranks) * on_node, bytes}.total();
  }
  case Operation::allgather:
  case Operation::allgatherv: {
    const double all = bytes < 81920 ? steps : ranks - 1;
    return ChunkWork{all, all, bytes * others(ranks) * on_node}.total();
  }
  case Operation::gather:
  case Operation::scatter: // half of the data is staged on its way along the tree
    return ChunkWork{steps, steps, bytes * (ranks - 1), 0, bytes * (ranks - 1) / 2}.total();
  default: // scan and exscan combine twice in each step
    return ChunkWork{steps, steps, steps * bytes * on_node, 2 * steps * bytes}.total();
  }
}

} // namespace

bool is_modelled(Operation operation) noexcept {
  switch (operation) {
  case Operation::bcast:
  case Operation::reduce:
  case Operation::allreduce:
  case Operation::reduce_scatter:
  case Operation::reduce_scatter_block:
  case Operation::gather:
  case Operation::scatter:
  case Operation::allgather:
  case Operation::allgatherv:
  case Operation::scan:
  case Operation::exscan:
    return true;
  default:
    return false;
  }
}

double model_seconds(Operation operation, Algorithm algorithm, const Situation& situation) noexcept {
  const ModelledCall call(operation, situation);
  switch (algorithm) {
  case Algorithm::binomial:
    return call.whole_vectors(true);
  case Algorithm::recursive_doubling:
    return call.is_allgather() ? call.by_schedule(ModelledCall::log(call.ranks)) : call.whole_vectors(false);
  case Algorithm::recursive_halving:
  case Algorithm::scatter_allgather:
    return call.by_schedule(ModelledCall::log(call.ranks));
  case Algorithm::ring:
    return call.by_schedule(call.ranks - 1);
  case Algorithm::reduce_scatter_allgather:
  case Algorithm::reduce_scatter_gather:
  case Algorithm::pairwise:
    return call.by_all_pairs();
  case Algorithm::two_level:
    return call.two_level();
  case Algorithm::pipelined_tree:
    return call.down_tree();
  case Algorithm::chain:
    return call.along_chain(true);
  case Algorithm::linear: // one of the ranks sends or receives all
    return ChunkWork{1, call.ranks - 1, call.bytes * (call.ranks - 1)}.total();
  default:
    return call.native();
  }
}

} // namespace helper::collective
