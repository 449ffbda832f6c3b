// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "collective/operation.hpp"

/// The table of algorithms: their names, the operations that each does and by which steps, when it can be
/// used, and which one an operation takes. All else that depends on the algorithm reads it here: selection,
/// settings, execution, the model of costs and the simulator.
namespace helper::collective {

class Schedule;
struct NetworkCosts;
struct ScheduledChunks;
struct Situation;

/// Algorithms have the names that other MPIs use, if there are any. name() returns them, for users.
enum class Algorithm : std::uint8_t {
  native,                   ///< MPI's non-blocking form; the thread runs chunks meanwhile
  dissemination,            ///< log2(ranks) rounds of empty messages
  linear,                   ///< the root sends to every rank, or receives from every rank and reduces
  binomial,                 ///< one message along each branch of a binomial tree
  pipelined_tree,           ///< chunks down a binomial tree
  chain,                    ///< chunks from rank to rank; in a reduction each adds its contribution
  recursive_doubling,       ///< exchanges at doubling distances: of whole vectors, or blocks gathered so far
  reduce_scatter_allgather, ///< every rank reduces a share of each chunk, and sends it to all
  reduce_scatter_gather,    ///< every rank reduces a share of each chunk, and sends it to the root
  pairwise,                 ///< rank with rank, in chunks
  recursive_halving, ///< ranks halve what each is to reduce, and then double what each has, in log2(ranks)
                     ///< steps
  ring,              ///< shares of each chunk go from rank to rank, round a ring
  scatter_allgather, ///< the root scatters each chunk, whose shares the ranks then gather in log2(ranks)
                     ///< steps
  bruck,             ///< each rank sends log2(ranks) messages, each of several blocks
  two_level,         ///< each node reduces, then nodes exchange shares of their results
  // The algorithms from here on are for ranks that share memory.
  shm_linear, ///< every rank shows its contribution in its control block
  shm_cico,   ///< copied into memory that the ranks share, and out of it (copy-in, copy-out)
  shm_mapped, ///< read where it lies, in memory of MPI_Alloc_mem; takes the place of shm_cico
  shm_chain,  ///< in shared memory each rank adds its contribution to the sum of the ranks before it
  cma,        ///< ranks copy from and to one another's memory (cross-memory attach)
  algorithms  // how many there are
};

inline constexpr auto& algorithm_names = names_before<Algorithm::algorithms>;

/// A message without pipeline or staging has at most this many bytes.
inline constexpr std::size_t short_most = std::size_t{8} * 1024;

/// Up to this many ranks may send to every other rank, on any number of nodes and with messages of any size.
inline constexpr int few_ranks = 8;

// Functions that rows name. `steps` append a rank's steps to its schedule. `needs` return why the algorithm
// cannot be used, or nullptr. `cut` return into which chunks messages are cut, and how many are in flight.
using AppendSteps = void(Schedule& schedule, Operation operation, std::size_t root);
using FindObstacle = const char*(Operation operation, const Situation& situation) noexcept;
namespace steps {
AppendSteps dissemination, linear, tree, tree_of_blocks, chain, doubling, doubling_of_vectors, pairs,
    pairs_and_gather, halving, scatter_allgather, ring, bruck, two_level;
}
namespace needs {
FindObstacle nothing, little, any_order, large_pieces, large_pieces_if_in_any_order, several_nodes;
FindObstacle shared_memory, slots, pieces, copies, copies_and_slots; // in a node
} // namespace needs
namespace cut {
ScheduledChunks nothing(Operation operation, const Situation& situation, const NetworkCosts& costs) noexcept;
decltype(nothing) usual, scheduled, along_chain, at_root, of_pairs, between_nodes;
} // namespace cut

/// How an algorithm does some operations.
struct Method {
  Algorithm algorithm;
  std::uint32_t operations;      ///< a set
  AppendSteps* append = nullptr; ///< nullptr: the library sends no messages
  FindObstacle* obstacle = needs::nothing;
  decltype(cut::scheduled)* chunks = cut::scheduled;
  bool is_dealt = false;  ///< RankOrder numbers ranks across nodes, if these are even
  bool is_whole = false;  ///< whole vectors go in single messages, which helpers do not reduce
  bool if_uneven = false; ///< is_dealt holds for uneven nodes as well

  /// Returns whether RankOrder numbers ranks across nodes. `are_even`: all nodes have as many ranks.
  constexpr bool deals(bool are_even) const noexcept { return is_dealt && (are_even || if_uneven); }
};

inline constexpr auto methods = [] {
  using enum Operation;
  using enum Algorithm;
  constexpr bool dealt = true, whole = true, if_uneven = true;
  using namespace sets;
  return std::to_array<Method>({
      {native, all, nullptr, needs::nothing, cut::nothing},
      {dissemination, set_of(barrier), steps::dissemination},
      {linear, set_of(reduce), steps::linear, needs::nothing, cut::at_root},
      {linear, rooted | set_of(gatherv, scatterv), steps::linear, needs::nothing, cut::nothing},
      {binomial, set_of(bcast, reduce), steps::tree, needs::little, cut::scheduled, !dealt, whole},
      {binomial, rooted, steps::tree_of_blocks},
      {pipelined_tree, set_of(bcast), steps::tree, needs::nothing, cut::usual},
      {chain, set_of(bcast) | scans, steps::chain, needs::nothing, cut::along_chain},
      {recursive_doubling, set_of(allreduce) | reduce_scatters | scans, steps::doubling_of_vectors,
       needs::little, cut::scheduled, !dealt, whole},
      {recursive_doubling, allgathers, steps::doubling, needs::nothing, cut::scheduled, dealt},
      {reduce_scatter_allgather, set_of(allreduce), steps::pairs_and_gather, needs::large_pieces,
       cut::of_pairs},
      {reduce_scatter_gather, set_of(reduce), steps::pairs_and_gather, needs::large_pieces, cut::of_pairs},
      {pairwise, reduce_scatters, steps::pairs, needs::large_pieces_if_in_any_order, cut::of_pairs},
      {pairwise, allgathers | alltoalls, steps::pairs, needs::nothing, cut::nothing},
      {recursive_halving, reductions, steps::halving, needs::any_order, cut::scheduled, dealt},
      {ring, set_of(allreduce) | reduce_scatters | allgathers, steps::ring, needs::any_order},
      {scatter_allgather, set_of(bcast), steps::scatter_allgather, needs::nothing, cut::scheduled, dealt},
      {bruck, allgathers, steps::bruck, needs::nothing, cut::scheduled, dealt},
      {bruck, set_of(alltoall), steps::bruck},
      {two_level, set_of(allreduce), steps::two_level, needs::several_nodes, cut::between_nodes, dealt,
       !whole, if_uneven},
      {shm_linear, set_of(barrier, bcast, gather, scatter, alltoall) | allgathers | reductions | scans,
       nullptr, needs::shared_memory},
      {shm_cico, set_of(bcast) | reductions, nullptr, needs::slots},
      {shm_chain, set_of(reduce, allreduce), nullptr, needs::pieces},
      {cma, set_of(bcast), nullptr, needs::copies_and_slots},
      {cma, moves | nonblocking, nullptr, needs::copies},
  });
}();

/// For each operation and algorithm the number of their row in `methods`, from 1 on; 0 if there is none.
inline constexpr auto method_numbers = [] {
  std::array<std::array<std::uint8_t, algorithm_names.size()>,
             static_cast<std::size_t>(Operation::operations)>
      all{};
  for (std::size_t row = 0; row < methods.size(); ++row)
    for (std::size_t each = 0; each < all.size(); ++each)
      if ((methods[row].operations >> each & 1) != 0)
        all[each][static_cast<std::size_t>(methods[row].algorithm)] = static_cast<std::uint8_t>(row + 1);
  return all;
}();
/// Returns whether `methods` has a row of an operation and an algorithm.
constexpr bool has_method(Operation operation, Algorithm algorithm) noexcept {
  return method_numbers[static_cast<std::size_t>(operation)][static_cast<std::size_t>(algorithm)] != 0;
}
/// Returns the row of `methods` of an operation and an algorithm that have one.
constexpr const Method& method(Operation operation, Algorithm algorithm) noexcept {
  return methods[method_numbers[static_cast<std::size_t>(operation)][static_cast<std::size_t>(algorithm)] -
                 1U];
}
/// Returns whether the algorithm does the operation by messages.
constexpr bool is_scheduled(Operation operation, Algorithm algorithm) noexcept {
  return has_method(operation, algorithm) && algorithm != Algorithm::native &&
         algorithm < Algorithm::shm_linear;
}
/// Returns whether the algorithm does one of the operations, a set.
constexpr bool does_any(Algorithm algorithm, std::uint32_t operations) noexcept {
  return std::ranges::any_of(methods, [=](const Method& each) {
    return each.algorithm == algorithm && (each.operations & operations) != 0;
  });
}

/// A row of selection_table. An operation takes the first of its rows whose limits the situation keeps and
/// whose algorithm can be used, or else is native. Rows with shm_chain are for oversubscribed nodes.
///
/// On several nodes the model of costs (cost.hpp) chooses among native MPI and the built-in rows that can be
/// used, in any order. If the user has set rows of the operation, it does so only if costs are set as well.
struct Row {
  Operation operation;
  Algorithm algorithm;
  std::size_t most_bytes;
  int most_ranks;
  friend bool operator==(const Row&, const Row&) = default;
};
inline constexpr std::size_t any_size = std::numeric_limits<std::size_t>::max();
inline constexpr int any_ranks = std::numeric_limits<int>::max();

/// The rows of each operation, and their number. Measured on 2 ranks without helpers, unless noted.
inline constexpr auto selection_table = [] {
  using enum Operation;
  using enum Algorithm;
  using namespace sets;
  std::array<std::array<Row, 12>, static_cast<std::size_t>(operations)> rows{}; // the rest native
  std::array<std::size_t, rows.size()> counts{};
  const auto add = [&](std::uint32_t set, Algorithm algorithm, std::size_t most_bytes, int most_ranks) {
    for (std::size_t of = 0; of < rows.size(); ++of)
      if ((set >> of & 1) != 0)
        rows[of][counts[of]++] = {static_cast<Operation>(of), algorithm, most_bytes, most_ranks};
  };
  constexpr std::size_t little_most = 512; // bytes
  constexpr int most_readers = 4;          // ranks of a non-blocking operation
  constexpr std::size_t KiB = 1024;

  add(set_of(barrier), shm_linear, any_size, any_ranks);
  add(set_of(barrier), dissemination, any_size, any_ranks);

  // Sizes are of the whole message. Cma is the fastest for contiguous data of 2 ranks. If more ranks read
  // from the root at the same time they hinder one another, and shm_cico is faster.
  add(set_of(bcast), native, any_size, 1);
  add(set_of(bcast), shm_linear, short_most, any_ranks);
  add(set_of(bcast), binomial, short_most, any_ranks);
  add(set_of(bcast), shm_cico, 64 * KiB - 1, any_ranks);
  add(set_of(bcast), cma, any_size, 2);
  add(set_of(bcast), shm_cico, any_size, any_ranks);
  add(set_of(bcast), pipelined_tree, any_size, any_ranks);
  add(set_of(bcast), scatter_allgather, any_size, any_ranks);
  add(set_of(bcast), chain, any_size, any_ranks);

  // Sizes are of a rank's contribution.
  add(set_of(allreduce), shm_linear, short_most, any_ranks);
  add(set_of(allreduce), shm_linear, any_size, few_ranks); // every rank reduces all
  add(set_of(allreduce), recursive_doubling, short_most, any_ranks);
  // Where ranks take turns on cores, shm_chain is faster than shm_cico, which is as fast as Open MPI.
  add(set_of(allreduce), shm_chain, any_size, any_ranks);
  add(set_of(allreduce), shm_cico, any_size, any_ranks);
  // On two hosts of 2 ranks at 1 Gbit/s, two_level is faster than reduce_scatter_allgather.
  add(set_of(allreduce), two_level, any_size, any_ranks);
  add(set_of(allreduce), reduce_scatter_allgather, any_size, any_ranks);
  add(set_of(allreduce), recursive_halving, any_size, any_ranks);
  add(set_of(allreduce), ring, any_size, any_ranks);
  add(set_of(reduce), shm_linear, any_size, few_ranks);
  add(set_of(reduce), shm_linear, short_most, any_ranks);
  add(set_of(reduce), binomial, short_most, any_ranks);
  add(set_of(reduce), shm_chain, any_size, any_ranks);
  add(set_of(reduce), shm_cico, any_size, any_ranks);
  add(set_of(reduce), reduce_scatter_gather, 16 * KiB, any_ranks);
  add(set_of(reduce), linear, 256 * KiB, 2);
  add(set_of(reduce), reduce_scatter_gather, any_size, any_ranks);
  add(set_of(reduce), recursive_halving, any_size, any_ranks);
  // With shm_linear and recursive_doubling every rank reduces all and keeps its share. With the other
  // algorithms each rank reduces only its share, which pays for more bytes.
  add(reduce_scatters, shm_linear, any_size, few_ranks);
  add(reduce_scatters, shm_linear, short_most, any_ranks);
  add(reduce_scatters, recursive_doubling, 2 * KiB, any_ranks);
  add(reduce_scatters, shm_cico, any_size, any_ranks);
  add(reduce_scatters, pairwise, any_size, any_ranks);
  add(reduce_scatters, recursive_halving, any_size, any_ranks);
  add(reduce_scatters, ring, any_size, any_ranks);
  add(scans, shm_linear, short_most, any_ranks);
  add(scans, recursive_doubling, short_most, any_ranks);
  add(scans, chain, any_size, any_ranks);

  // Sizes are of the block that goes from one rank to another. On several hosts linear is faster, as large
  // blocks keep the link busy. Only the model of costs chooses binomial, for small blocks of many ranks.
  add(set_of(gather), shm_linear, 16 * KiB, any_ranks);
  add(set_of(scatter), shm_linear, short_most, any_ranks);
  add(rooted, cma, any_size, any_ranks);
  add(rooted, linear, any_size, few_ranks);
  add(rooted, native, little_most, any_ranks);
  add(rooted, linear, any_size, any_ranks);
  add(rooted, binomial, short_most, any_ranks);
  add(set_of(alltoall), shm_linear, short_most, any_ranks);
  add(set_of(alltoall), cma, any_size, any_ranks);
  add(set_of(alltoall), pairwise, any_size, few_ranks);
  add(set_of(alltoall), native, little_most, any_ranks);
  add(set_of(alltoall), pairwise, any_size, any_ranks);
  add(set_of(alltoall), bruck, any_size, any_ranks);

  // Sizes are of the contributions of all ranks.
  add(set_of(allgather), shm_linear, 32 * KiB, any_ranks);
  add(set_of(allgatherv), shm_linear, 16 * KiB, any_ranks);
  add(allgathers, cma, any_size, any_ranks);
  add(allgathers, pairwise, any_size, few_ranks);
  add(allgathers, native, little_most, any_ranks);
  add(allgathers, pairwise, any_size, any_ranks);
  add(set_of(allgather), bruck, short_most, any_ranks);
  add(allgathers, recursive_doubling, any_size, any_ranks);
  add(allgathers, ring, any_size, any_ranks);
  add(allgathers, bruck, any_size, any_ranks);

  // Ranks do not know the same sizes, so the sizes count as 0.
  add(set_of(gatherv, scatterv), cma, any_size, any_ranks);
  add(set_of(gatherv, scatterv), linear, any_size, any_ranks);
  add(set_of(alltoallv, alltoallw), cma, any_size, any_ranks);
  add(set_of(alltoallv, alltoallw), pairwise, any_size, any_ranks);

  // Non-blocking operations. Sizes are of a rank's contribution. Each rank reads the contributions of all
  // ranks, which is too much if there are many.
  add(nonblocking, native, 64 * KiB - 1, any_ranks);
  add(nonblocking, cma, any_size, most_readers);

  return std::pair(rows, counts);
}();
/// Returns the built-in rows of an operation.
constexpr std::span<const Row> built_in_rows(Operation operation) noexcept {
  const auto of = static_cast<std::size_t>(operation);
  return std::span(selection_table.first[of]).first(selection_table.second[of]);
}
static_assert([] {
  for (const auto& rows : selection_table.first)
    for (const Row& row : rows)
      if (!has_method(row.operation, row.algorithm)) return false;
  return true;
}());

} // namespace helper::collective
