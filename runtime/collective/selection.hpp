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
#include "shm/window.hpp"
#include "transport/shadow.hpp"

/// Selects the algorithm of an operation, and the size of its pieces. All numbers that decide are here, with
/// their measurements. A decision depends only on what all ranks know alike, because it changes the messages.
namespace helper::collective {

using transport::Shadow;

/// The facts that a choice depends on.
struct Situation {
  std::size_t bytes; ///< of data; what is counted stands beside the operation's rows in the table
  int ranks;
  bool has_window = false;     ///< all ranks are on one node, whose memory they share
  bool across_nodes = false;   ///< several ranks are on one of several nodes, which may reduce first
  bool can_copy = false;       ///< and copy from and to one another's memory
  bool oversubscribed = false; ///< the node has more processes than processing units for them
  bool has_slots = true;       ///< as far as is known, no rank has used up its slots of the arena
  std::size_t chunk = std::size_t{512} * 1024; ///< Shadow::chunk()
  int nodes = 1;                               ///< on which the ranks are
  int most_on_node = 1;    ///< ranks of the node that has the most; counts on several nodes
  bool even_nodes = true;  ///< all nodes have as many ranks
  bool commutes = true;    ///< what is combined may be so in any order
  bool even_blocks = true; ///< an MPI_Allgatherv gathers as much from each rank
  // The following hold for reductions.
  std::size_t element = 1; ///< bytes; elements are not cut
  std::size_t owners = 0;  ///< how many ranks own a share of the elements, to reduce it; 0: all, even shares
  std::size_t share = 0;   ///< elements of the largest share, unless they are even

  friend bool operator==(const Situation&, const Situation&) = default;
};

/// The costs of messages between nodes (LogGP), and of work on bytes, in seconds.
struct NetworkCosts {
  double latency;       ///< from the end of sending to the begin of receiving
  double local_latency; ///< the same within a node
  double overhead;      ///< of a processor, for each message that it sends and receives
  double per_byte;      ///< of the link of a node, which all of its ranks share
  double local_byte;    ///< of a byte that goes from rank to rank within a node
  double reduced_byte;  ///< of a byte that one thread combines with another
  double team;          ///< threads that reduce together

  friend auto operator<=>(const NetworkCosts&, const NetworkCosts&) = default;
};

/// Costs for InfiniBand or RoCE at 100 Gbit/s, and for a current core and team. The size of a team must not
/// decide.
inline constexpr NetworkCosts default_costs{1.5e-6, 0.5e-6, 0.4e-6, 1 / 12.5e9, 1 / 10e9, 1 / 5e9, 4};

/// Returns the costs by which select() decides among ranks of several nodes: the default ones, unless
/// set_network_costs() has set others.
const NetworkCosts& network_costs() noexcept;

/// Sets these costs; they are the same at all ranks. It is called before any thread communicates.
void set_network_costs(const NetworkCosts& costs) noexcept;

/// Returns the algorithm for `operation`: what MPI_HELPER_ALGORITHM asks for, if it can be used in the
/// situation; otherwise the table's. Throws std::bad_alloc.
Algorithm select(Operation operation, const Situation& situation);

/// The rounds of a reduction through slots of the arena. A round takes `piece` elements of each share: as
/// many as fit together into a slot of `slot` bytes. `owners` ranks have shares, of up to `share` elements of
/// `element` bytes each.
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

/// Returns the costs by the names that files have for them.
using NamedCost = std::pair<std::string_view, double NetworkCosts::*>;
std::span<const NamedCost> named_costs() noexcept;

/// Reads the text of such a file. A line is a row, its four fields apart by blanks, a limit "any" if there is
/// none; or "cost", the name of one of NetworkCosts and its value; # begins a comment.
/// Throws std::invalid_argument, naming the line and what is accepted.
Tuned parse_tuned(const std::string& text);

/// Returns a row as a file has it.
std::string text(const Row& row);

/// Returns the rows that select() never chooses, whatever the job, since earlier ones are chosen wherever
/// they could be. Rows that are built in as well are left out: bench/run --tune appends these.
std::vector<Row> never_chosen(std::span<const Row> rows);

/// Sets the rows that select() follows in place of the built-in ones of the operations that the rows are for;
/// they are the same at all ranks. It is called before any thread communicates.
void set_rows(std::vector<Row> rows);

/// For each operation the algorithm that the user asks for, if any.
using Overrides = std::array<std::optional<Algorithm>, static_cast<std::size_t>(Operation::operations)>;

/// Reads the value of MPI_HELPER_ALGORITHM. Throws std::invalid_argument, saying what is accepted.
Overrides parse_overrides(const std::string& text);

/// A function of this type shows a text to the user. Any thread may call it.
using Report = void (*)(const char* text);

/// Sets what select() follows where it can be followed; it is the same at all ranks. Where it cannot,
/// select() says so to `report`, once for each operation. It is called before any thread communicates.
void set_overrides(const Overrides& overrides, Report report = nullptr) noexcept;

/// Returns a number that stands for all that decides here: where it is the same, select() decides alike, but
/// for a chance of one in 2^64. All processes must have the same standard library.
std::uint64_t fingerprint();

/// Chunks in flight at a time: enough to keep packing, the wire and unpacking busy at once.
inline constexpr std::size_t lanes = 4;

/// A chunk of what few nodes reduce between them has at most this many bytes. Two hosts at 1 Gbit/s, 2 ranks
/// each, take 38 to 41 ms for 4 MiB, and with chunks of 512 KiB 43 to 45; the wire alone takes 34.
inline constexpr std::size_t nodes_chunk = std::size_t{256} * 1024;

/// The least bytes of a message if more than one rank of several nodes sends to every other rank in each
/// round: then sending takes longer than starting.
inline constexpr std::size_t least_piece = std::size_t{4} * 1024;

/// Most messages that a rank has under way at a time, if none of them goes through the staging of a lane. As
/// many again may be received.
inline constexpr std::size_t most_messages = 64;

/// Most bytes of a chunk that follows a schedule, unless `chunk` is less. A chunk is so large that a single
/// block is no short message. Two chunks are in flight, and half of a chunk is staged.
inline constexpr std::size_t scheduled_most = std::size_t{2} * 1024 * 1024;
inline std::size_t scheduled_chunk(std::size_t chunk, std::size_t blocks) noexcept {
  return std::max(chunk, std::min(blocks * short_most, scheduled_most));
}

/// The chunks of an operation that follows a schedule, and the number of chunks under way at a time.
struct ScheduledChunks {
  std::size_t bytes;
  std::size_t lanes;
};

/// Chunks of data that pass a rank only once, as in MPI_Allgather, if a byte between nodes takes a hundred
/// times as long as within a node. Then work on one chunk while others are on their way gains nothing, and
/// the answer of a receiver waits behind data of other chunks. So there is one lane, and chunks are larger if
/// there are still this many. 8 hosts at 100 Mbit/s take 1.57 s for an MPI_Allgather of 16 MiB in 4 lanes,
/// 1.56 s in one lane with chunks of 512 KiB, and 1.43 s with chunks of 2 MiB. Data that pass twice gain
/// nothing.
inline constexpr std::size_t one_pass_chunks = 8;
inline ScheduledChunks scheduled_chunks(Operation operation, std::size_t chunk, std::size_t blocks,
                                        std::size_t bytes, const NetworkCosts& costs = network_costs()) {
  const std::size_t usual = scheduled_chunk(chunk, blocks);
  if (!is_one_pass(operation) || costs.per_byte < 100 * costs.local_byte) return {usual, lanes};
  return {std::max(usual, std::min({bytes / one_pass_chunks, 4 * chunk, scheduled_most})), 1};
}

/// A rank shows at most this many bytes in its frame.
inline constexpr std::size_t shm_linear_most = shm::Frame::board_bytes;

/// Pieces of this many bytes are worth a system call each, which takes 1.6 us besides, to copy from process
/// to process.
inline constexpr std::size_t copy_grain = std::size_t{256} * 1024;

/// Where at most this many ranks are all within a node, the root of an MPI_Reduce reduces all; otherwise each
/// rank reduces a share.
inline constexpr std::size_t most_linear = 3;

/// A round in which one rank reduces all has at most this many bytes, so that others pack while it reduces.
/// At 2 ranks 512 KiB took 33 to 52 us, and 53 to 62 with a round of 512 KiB; 64 KiB were no better.
inline constexpr std::size_t sole_chunk = std::size_t{128} * 1024;

/// Most bytes of the rounds in flight of a rank, for each member of its team that has a core, if rounds have
/// several chunks and use shared memory: they must stay in the caches of the cores. At 2 ranks the time with
/// 1 MiB divided by the time with 2 MiB was 1.0 at 1 MiB, 0.77 to 0.98 at 2, 0.88 to 1.1 at 4, and 0.9 to 1.0
/// at 8.
inline constexpr std::size_t shm_cico_most = std::size_t{1024} * 1024;

/// The kind of a message on a shadow communicator. With the number of the chunk it makes the tag.
enum class MessageKind : int { bcast, contribution, result, partial, move, barrier, kinds };

/// Returns the tag of chunk `chunk`. Chunks with equal tags are never in flight together. Two ranks receive
/// messages of equal tag in the order of sending.
inline int tag(MessageKind message, std::size_t chunk) noexcept {
  constexpr std::size_t chunks_told_apart = 60;
  constexpr auto kinds = static_cast<std::size_t>(MessageKind::kinds);
  static_assert(chunks_told_apart * kinds <= Shadow::most_tag + 1);
  // Chunks of equal tag are in one lane, one after the other, however many lanes a rank was granted.
  static_assert(lanes <= 5 && chunks_told_apart % 60 == 0);
  return static_cast<int>((chunk % chunks_told_apart) * kinds + static_cast<std::size_t>(message));
}

} // namespace helper::collective
