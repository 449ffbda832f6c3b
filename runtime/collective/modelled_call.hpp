// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "collective/cost.hpp"

namespace helper::collective {

/// The work of a rank for a chunk of data: the steps that wait for one another, the messages of all steps,
/// and three sums of bytes: those that go through the link of the node, those that the rank reduces, and
/// those that stay within the node.
struct ChunkWork {
  double steps = 0;
  double messages = 0;
  double wire = 0;
  double reduced = 0;
  double local = 0;
  double local_steps = 0;
};

/// Holds the numbers of a situation.
struct ModelledCall {
  ModelledCall(Operation which, const Situation& situation, const NetworkCosts& of)
      : operation(which), ranks(situation.ranks), nodes(situation.nodes), on_node(situation.most_on_node),
        even_nodes(situation.even_nodes),
        bytes(static_cast<double>(std::max<std::size_t>(situation.bytes, 1))), chunk_bytes(situation.chunk),
        chain_bytes(chain_chunk(situation, of)), costs(of) {}

  double on_wire(const ChunkWork& work) const noexcept { return work.wire * costs.per_byte; }
  double on_processor(const ChunkWork& work) const noexcept {
    return work.messages * costs.overhead + work.local * costs.local_byte + work.reduced * costs.reduced_byte;
  }
  /// Returns the seconds of work of which nothing is done at the same time.
  double total(const ChunkWork& work) const noexcept {
    return work.steps * costs.latency + work.local_steps * costs.local_latency + on_wire(work) +
           on_processor(work);
  }
  /// Returns the seconds of chunks that are under way together: the slowest part of the work decides, or
  /// their number.
  double pipelined(const ChunkWork& work, double chunks) const noexcept {
    return pipelined(work, chunks, on_processor(work));
  }
  /// Does the same for `chunks` chunks under way at a time, where the busiest core has other work than the
  /// work on a chunk's way.
  double pipelined(const ChunkWork& work, double chunks, double busiest,
                   double under_way = lanes) const noexcept {
    return total(work) + (chunks - 1) * std::max({on_wire(work), busiest, total(work) / under_way});
  }
  /// Returns the seconds of work of ranks of which others use the link while one waits.
  double in_turn(const ChunkWork& work) const noexcept {
    const double wire = on_wire(work);
    return total(work) - std::min(wire, total(work) - wire) * others(on_node);
  }

  /// Returns the steps of a tree, or of halving, among `count` ranks.
  static double log(double count) noexcept { return std::ceil(std::log2(count)); }
  /// Returns the part of data that is not a rank's own.
  static double others(double count) noexcept { return (count - 1) / count; }
  /// Returns the bytes of a chunk, of which there are up to `most`.
  double chunk(std::size_t most) const noexcept { return std::min(bytes, static_cast<double>(most)); }
  double chunks(double of_bytes) const noexcept { return std::max(1.0, std::ceil(bytes / of_bytes)); }

  /// Returns how often data are scattered or gathered.
  double pass_count() const noexcept { return is_one_pass(operation) ? 1 : 2; }
  /// Returns into which chunks data are cut that go by a schedule of all ranks.
  ScheduledChunks scheduled() const noexcept {
    return scheduled_chunks(operation, chunk_bytes, static_cast<std::size_t>(ranks),
                            static_cast<std::size_t>(bytes), costs);
  }
  double pipelined(const ChunkWork& work, double of, const ScheduledChunks& cut) const noexcept {
    return pipelined(work, chunks(of), on_processor(work), static_cast<double>(cut.lanes));
  }
  /// Returns whether data whose blocks are ranks' go through staging in any order of these.
  bool is_staged(double of) const noexcept { return pass_count() == 1 && chunks(of) > 1; }
  /// Returns whether what halves and doubles moves most within nodes.
  bool keeps_to_nodes() const noexcept { return even_nodes && on_node > 1; }

  static bool is_power(double of_two) noexcept { return std::has_single_bit(static_cast<unsigned>(of_two)); }

  ChunkWork of_passes(double messages_of_pass, double of) const noexcept;
  ChunkWork of_halvings_in_order(double of) const noexcept;
  ChunkWork of_halvings(double of) const noexcept;
  ChunkWork of_bruck(double all) const noexcept;
  ChunkWork round_ring(double passes, double of) const noexcept;
  double by_halving() const noexcept;
  double by_ring() const noexcept;
  double by_bruck() const noexcept;
  double by_all_pairs() const noexcept;
  double alltoall_pairwise(double under_way) const noexcept;
  double whole_vectors(bool is_tree) const noexcept;
  double linear() const noexcept;
  double by_subtrees() const noexcept;
  double dissemination() const noexcept;
  double prefixes() const noexcept;
  double two_level() const noexcept;
  double down_tree() const noexcept;
  double along_chain() const noexcept;
  double native() const noexcept;
  double native_reduction() const noexcept;
  double native_bcast() const noexcept;
  double native_barrier() const noexcept;
  double native_scan() const noexcept;

  Operation operation;
  double ranks, nodes, on_node;
  bool even_nodes;
  double bytes; // at least one, by which costs can be divided
  std::size_t chunk_bytes;
  std::size_t chain_bytes; // of a chunk
  const NetworkCosts& costs;
};

} // namespace helper::collective
