// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collective/table.hpp"
#include "shm/control.hpp"
#include "transport/shadow.hpp"

/// Selects the algorithm of an operation, and the size of its pieces. The numbers that decide are here, in
/// table.hpp and in cost.hpp. A decision uses only facts that all ranks know alike: it changes the messages.
namespace helper::collective {

using transport::Shadow;

/// The facts that a choice depends on.
struct Situation {
  std::size_t bytes; ///< of data; the table states for each operation what is counted
  int ranks;
  bool shares_memory = false;  ///< all ranks are on one node, whose memory they share
  bool across_nodes = false;   ///< of several nodes, one has several ranks, and each may reduce first
  bool can_copy = false;       ///< ranks can copy from and to one another's memory
  bool oversubscribed = false; ///< the node has more processes than cores
  bool has_slots = true;       ///< as far as is known, no rank has used up its slots of the arena
  std::size_t chunk = std::size_t{512} * 1024; ///< Shadow::chunk()
  int nodes = 1;                               ///< on which the ranks are
  int most_on_node = 1;    ///< ranks of the node that has the most; only used if there are several nodes
  int fewest_on_node = 1;  ///< ranks of the node that has the fewest; likewise
  bool commutes = true;    ///< the operation may combine in any order
  bool even_blocks = true; ///< an MPI_Allgatherv gathers blocks of equal size
  // The following hold for reductions.
  std::size_t element = 1; ///< bytes; elements are not cut
  std::size_t owners = 0;  ///< number of ranks that reduce a share each; 0: all, even shares
  std::size_t share = 0;   ///< elements of the largest share, unless shares are even

  friend bool operator==(const Situation&, const Situation&) = default;
};

/// The costs of messages between nodes (LogGP), and of work on bytes, in seconds.
struct NetworkCosts {
  double latency;       ///< from the end of sending to the start of receiving
  double local_latency; ///< the same within a node
  double overhead;      ///< of a processor, for each message that it sends and receives
  double per_byte;      ///< of the link of a node, which all of its ranks share
  double local_byte;    ///< of a byte sent from rank to rank within a node
  double reduced_byte;  ///< of a byte that one thread combines with another
  double team;          ///< threads that reduce together

  friend auto operator<=>(const NetworkCosts&, const NetworkCosts&) = default;
};

/// For 100 Gbit/s InfiniBand or RoCE, a current core, and a team of any size, so that all ranks choose alike.
inline constexpr NetworkCosts default_costs{1.5e-6, 0.5e-6, 0.4e-6, 1 / 12.5e9, 1 / 10e9, 1 / 5e9, 4};

/// Returns the costs with which select() decides on several nodes: default_costs, unless others are set.
const NetworkCosts& network_costs() noexcept;

/// Sets network_costs(), which must be equal at all ranks. Called before any thread communicates.
void set_network_costs(const NetworkCosts& costs) noexcept;

/// Returns the algorithm for `operation`: the one in MPI_HELPER_ALGORITHM, if it can be used in the
/// situation; otherwise the table's. Throws std::bad_alloc.
Algorithm select(Operation operation, const Situation& situation);

/// The rounds of a reduction through slots of `slot` bytes. A round takes `piece` elements of each share, as
/// many as fit. `owners` ranks have shares, of up to `share` elements of `element` bytes each.
struct SlotRounds {
  SlotRounds(std::size_t chunk, std::size_t element, std::size_t owners, std::size_t share) noexcept;

  std::size_t slot;
  std::size_t piece; ///< 0 if not even one element of each fits
  std::size_t rounds;
};

/// Return the names that users know for operations and algorithms. They are string literals.
std::string_view name(Operation operation) noexcept;
constexpr std::string_view name(Algorithm algorithm) noexcept {
  return algorithm_names[static_cast<std::size_t>(algorithm)];
}

/// The contents of a file that MPI_HELPER_TUNE names.
struct Tuned {
  std::vector<Row> rows;
  NetworkCosts costs = default_costs;
};

/// The names of the costs in files.
using NamedCost = std::pair<std::string_view, double NetworkCosts::*>;
std::span<const NamedCost> named_costs() noexcept;

/// Parses a file of MPI_HELPER_TUNE. A line has the fields of a Row, with "any" for no limit; or "cost", the
/// name of a member of NetworkCosts, and its value. # begins a comment. Throws std::invalid_argument.
Tuned parse_tuned(const std::string& text);

/// Returns a row in the form of the file.
std::string text(const Row& row);

/// Returns the rows that select() never chooses in any job: wherever such a row fits, an earlier row is
/// chosen. Leaves out rows that equal built-in ones, since bench/run --tune appends those.
std::vector<Row> never_chosen(std::span<const Row> rows);

/// Replaces the built-in rows of each operation that `rows` mention. All ranks do so, before communication.
void set_rows(const std::vector<Row>& rows);

/// For each operation the algorithm that the user asks for, if any.
using Overrides = std::array<std::optional<Algorithm>, static_cast<std::size_t>(Operation::operations)>;

/// Parses the value of MPI_HELPER_ALGORITHM. Throws std::invalid_argument with what is accepted.
Overrides parse_overrides(const std::string& text);

/// A function that shows a text to the user. Any thread may call it.
using Report = void (*)(const char* text);

/// Sets the algorithms that select() uses wherever they can be used, equal at all ranks. If one cannot be
/// used, select() calls `report`, once for each operation. Called before any thread communicates.
void set_overrides(const Overrides& overrides, Report report = nullptr) noexcept;

/// Returns a hash of all settings that decide here. Processes with equal hashes decide alike, except with a
/// probability of 2^-64. All processes must have the same standard library.
std::uint64_t fingerprint();

/// The number of chunks in flight: enough to pack, transfer and unpack at the same time.
inline constexpr std::size_t lanes = 4;

/// The most bytes of a chunk of two_level. Only many nodes have larger ones: see scheduled_chunk().
inline constexpr std::size_t nodes_chunk = std::size_t{256} * 1024;

/// The least bytes of a message if more than few_ranks ranks on several nodes send to every other rank in
/// each round. Sending such a message takes longer than starting it.
inline constexpr std::size_t least_piece = std::size_t{4} * 1024;

/// The most short messages of an all-to-all, gather or scatter that a rank has in flight to other ranks, from
/// the user's buffer (see move_short() in moves.cpp). It may receive as many at the same time.
inline constexpr std::size_t most_messages = 64;

/// The most bytes of a chunk that follows a schedule, unless `chunk` is more. Up to this size, chunks are so
/// large that a single block is not a short message.
inline constexpr std::size_t scheduled_most = std::size_t{2} * 1024 * 1024;
inline std::size_t scheduled_chunk(std::size_t chunk, std::size_t blocks) noexcept {
  return std::max(chunk, std::min(blocks * short_most, scheduled_most));
}

/// The chunks of an operation that follows a schedule, and the number of chunks in flight.
struct ScheduledChunks {
  std::size_t bytes;
  std::size_t lanes;
};

/// The fewest chunks for data that pass a rank once, as in MPI_Allgather, on a slow network: a byte takes a
/// hundred times as long between nodes as within a node. There overlap gains nothing, and the receiver's
/// answer to a message waits behind the data of other chunks. So there is one lane, and chunks are larger.
inline constexpr std::size_t one_pass_chunks = 8;
inline ScheduledChunks scheduled_chunks(Operation operation, std::size_t chunk, std::size_t blocks,
                                        std::size_t bytes, const NetworkCosts& costs = network_costs()) {
  const std::size_t usual = scheduled_chunk(chunk, blocks);
  if (!is_one_pass(operation) || costs.per_byte < 100 * costs.local_byte) return {usual, lanes};
  return {std::max(usual, std::min({bytes / one_pass_chunks, 4 * chunk, scheduled_most})), 1};
}

/// A rank shows at most this many bytes in its control block.
inline constexpr std::size_t shm_linear_most = shm::ControlBlock::payload_bytes;

/// Pieces of this size justify a system call each to copy from process to process.
inline constexpr std::size_t copy_grain = std::size_t{256} * 1024;

/// With up to this many ranks on a node, the root of MPI_Reduce reduces all; with more, each rank a share.
inline constexpr std::size_t most_linear = 3;

/// The most bytes of a round in which one rank reduces all, so that other ranks pack while it reduces.
inline constexpr std::size_t sole_chunk = std::size_t{128} * 1024;

/// The most bytes of a rank's rounds in flight in shared memory, for each member of its team that has a core.
/// The rounds must stay in the caches of the cores.
inline constexpr std::size_t shm_cico_most = std::size_t{1024} * 1024;

/// The most bytes of a slot if ranks without helpers have one round in flight: more than the cache of a core.
/// Other ranks read faster from a cache that the cores share than from the cache of the core that wrote.
inline constexpr std::size_t joined_most = std::size_t{2048} * 1024;

/// The kind of a message on a shadow communicator. Its tag consists of the kind and the number of the chunk.
enum class MessageKind : int { bcast, contribution, partial, move, barrier, kinds };

/// Returns the tag of a chunk. Chunks of equal tag are not in flight together; their order is kept.
inline int tag(MessageKind message, std::size_t chunk) noexcept {
  constexpr std::size_t chunks_told_apart = 60;
  constexpr auto kinds = static_cast<std::size_t>(MessageKind::kinds);
  static_assert(chunks_told_apart * kinds <= Shadow::most_tag + 1);
  // 60 is a multiple of every number of lanes up to 5. So chunks of equal tag are in one lane, in order.
  static_assert(lanes <= 5 && chunks_told_apart % 60 == 0);
  return static_cast<int>((chunk % chunks_told_apart) * kinds + static_cast<std::size_t>(message));
}

} // namespace helper::collective
