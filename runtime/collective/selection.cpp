// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/selection.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "collective/cost.hpp"
#include "collective/slots.hpp"
#include "lifetime/of_thread.hpp"
#include "team/thread_state.hpp"

namespace helper::collective {

namespace {

using Rows = std::span<const Row>;

// set_overrides(), set_rows() and set_network_costs() write these, before any thread communicates.
constinit Overrides overrides_in_force{};
constinit Report report_in_force = nullptr;
constinit std::array<Rows, static_cast<std::size_t>(Operation::operations)> rows_of_user{}; // by operation
constinit NetworkCosts costs_in_force = default_costs;

// Whether an override that could not be followed has been reported. Relaxed order suffices: one of the
// threads that ask at once sets it first, and it orders no other memory.
constinit std::array<std::atomic<bool>, static_cast<std::size_t>(Operation::operations)> told{};

/// Returns the most bytes that a rank shows in a linear operation through shared memory.
std::size_t shown(Operation operation, const Situation& situation) noexcept {
  const auto ranks = static_cast<std::size_t>(situation.ranks);
  switch (operation) {
  case Operation::scatter:
  case Operation::alltoall:
    return situation.bytes * ranks;
  case Operation::allgather:
    return situation.bytes / ranks;
  default:
    return situation.bytes;
  }
}

bool fits_into_slots(Operation operation, const Situation& situation) noexcept {
  if (operation == Operation::bcast) return situation.bytes / situation.chunk < SharedOperation::most_steps;
  const std::size_t elements = situation.bytes / situation.element;
  const auto ranks = static_cast<std::size_t>(situation.ranks);
  const bool is_even = situation.owners == 0;
  const SlotRounds cut(situation.chunk, situation.element,
                       is_even ? std::min(elements, ranks) : situation.owners,
                       is_even ? (elements + ranks - 1) / ranks : situation.share);
  return cut.piece != 0 && cut.rounds <= Slots::most_rounds;
}

/// Returns whether pieces, of which a rank has one on its board, can hold an element, and can be counted.
bool fits_into_pieces(const Situation& situation) noexcept {
  const std::size_t elements = SharedOperation::board_bytes / situation.element; // in a piece
  return elements != 0 && situation.bytes / (elements * situation.element) < SharedOperation::most_steps;
}

/// Returns whether it is blocks that recursive_doubling or binomial sends, in chunks, and no whole vectors.
bool moves_blocks(Operation operation) noexcept {
  return is_allgather(operation) || is_regular_rooted(operation);
}

/// Returns whether messages are large enough where each of `ranks` ranks sends to every other in each round;
/// few ranks may in any case, and within a node.
bool sends_enough(const Situation& situation, int ranks) noexcept {
  if (situation.nodes == 1 || ranks <= few_ranks) return true;
  return std::min(situation.bytes, situation.chunk) / static_cast<std::size_t>(ranks - 1) >= least_piece;
}

/// Does what obstacle() does, of the algorithms of ranks that share memory.
const char* obstacle_in_node(Operation operation, Algorithm algorithm, const Situation& situation) noexcept {
  constexpr const char* needs_window = "it is for ranks that share memory";
  constexpr const char* no_slots = "memory that the ranks share is used up";
  switch (algorithm) {
  case Algorithm::shm_cico:
    if (!situation.has_window) return needs_window;
    if (!situation.has_slots) return no_slots;
    return fits_into_slots(operation, situation) ? nullptr : "its elements are too large, or too many";
  case Algorithm::shm_chain:
    if (!situation.has_window) return needs_window;
    return fits_into_pieces(situation) ? nullptr : "its elements are too large, or too many";
  case Algorithm::shm_linear:
    if (!situation.has_window) return needs_window;
    return shown(operation, situation) <= shm_linear_most ? nullptr : "it is for less data";
  case Algorithm::cma:
    if (!situation.can_copy) return "it is for ranks that may copy from one another's memory";
    return operation != Operation::bcast ? nullptr
                                         : obstacle_in_node(operation, Algorithm::shm_cico, situation);
  default:
    return nullptr;
  }
}

/// Does what obstacle() does, of the algorithms that send messages.
const char* obstacle_of_messages(Operation operation, Algorithm algorithm,
                                 const Situation& situation) noexcept {
  static_assert(short_most == 8192);
  constexpr const char* needs_any_order = "it is for what may be combined in any order";
  constexpr const char* too_little = "every rank would send every other too little at a time";
  switch (algorithm) {
  case Algorithm::recursive_doubling:
  case Algorithm::binomial:
    if (moves_blocks(operation)) return nullptr;
    return situation.bytes <= short_most ? nullptr : "it is for at most 8 KiB";
  case Algorithm::two_level:
    if (!situation.across_nodes) return "it is for several nodes, of several ranks";
    if (situation.nodes > 2 && !situation.commutes) return needs_any_order;
    return sends_enough(situation, situation.most_on_node) ? nullptr : too_little;
  case Algorithm::recursive_halving:
  case Algorithm::ring:
    return situation.commutes ? nullptr : needs_any_order;
  case Algorithm::reduce_scatter_allgather:
  case Algorithm::reduce_scatter_gather:
    return sends_enough(situation, situation.ranks) ? nullptr : too_little;
  case Algorithm::pairwise:
    if (!is_reduce_scatter(operation) || !situation.commutes) return nullptr; // no other keeps the order
    return sends_enough(situation, situation.ranks) ? nullptr : too_little;
  default:
    return nullptr;
  }
}

/// Returns what is against the algorithm in the situation; nullptr if it can be used, be it the best or not.
const char* obstacle(Operation operation, Algorithm algorithm, const Situation& situation) noexcept {
  return algorithm >= Algorithm::shm_linear ? obstacle_in_node(operation, algorithm, situation)
                                            : obstacle_of_messages(operation, algorithm, situation);
}

/// Returns whether the table may choose the algorithm. One by one ranks take longer, unless they must anyway.
bool pays(Algorithm algorithm, const Situation& situation) noexcept {
  return algorithm != Algorithm::shm_chain || situation.oversubscribed;
}

Rows rows_in_force(Operation operation) noexcept {
  const Rows of_user = rows_of_user[static_cast<std::size_t>(operation)];
  return of_user.empty() ? built_in_rows(operation) : of_user;
}

bool can_be_chosen(const Row& row, const Situation& situation) noexcept {
  return situation.bytes <= row.most_bytes && situation.ranks <= row.most_ranks &&
         obstacle(row.operation, row.algorithm, situation) == nullptr && pays(row.algorithm, situation);
}

/// Returns whether the algorithm can be used in whatever situation.
bool can_always_be_used(Operation operation, Algorithm algorithm) noexcept {
  Situation hardest{0, any_ranks};
  hardest.nodes = any_ranks;
  hardest.commutes = false;
  const bool can_with_little = obstacle(operation, algorithm, hardest) == nullptr;
  hardest.bytes = any_size;
  return can_with_little && obstacle(operation, algorithm, hardest) == nullptr;
}

/// Returns whether `earlier` is chosen wherever `row` could be.
bool hides(const Row& earlier, const Row& row) noexcept {
  return earlier.operation == row.operation && earlier.most_bytes >= row.most_bytes &&
         earlier.most_ranks >= row.most_ranks &&
         (earlier.algorithm == row.algorithm || can_always_be_used(earlier.operation, earlier.algorithm));
}

bool costs_decide(Operation operation, const Situation& situation) noexcept {
  return situation.nodes > 1 && is_modelled(operation) &&
         (rows_of_user[static_cast<std::size_t>(operation)].empty() || costs_in_force != default_costs);
}

/// Returns whether costs may leave the operation to native MPI: quirk ring_cuts_by_own_extent, and quirk
/// aborts_in_place. Ranks do not know alike which of them reduce and scatter in place.
bool may_be_native(Operation operation, const Situation& situation) noexcept {
  return !is_reduce_scatter(operation) &&
         (situation.even_blocks ||
          !native_rings(operation, situation.bytes, static_cast<std::size_t>(situation.ranks)));
}

// Rows that say native are for where no costs decide. Ranks whose threads round differently must choose
// alike.
Algorithm select_by_costs(Operation operation, const Situation& situation) noexcept {
  const team::InState in_state(team::ThreadState::initial());
  Algorithm chosen = Algorithm::native;
  double least = std::numeric_limits<double>::max();
  for (const Row& row : built_in_rows(operation)) {
    if (row.algorithm == Algorithm::native || !can_be_chosen(row, situation)) continue;
    const double seconds = model_seconds(operation, row.algorithm, situation);
    if (seconds < least_gain * least) std::tie(chosen, least) = std::tuple(row.algorithm, seconds);
  }
  if (!may_be_native(operation, situation)) return chosen;
  const double native = model_seconds(operation, Algorithm::native, situation) + lending;
  return native < least_gain * least ? Algorithm::native : chosen;
}

/// A result of select_by_costs().
struct Decision {
  Situation situation{0, 0}; // unlike any that there is
  NetworkCosts costs = default_costs;
  Algorithm algorithm = Algorithm::native;
};
using Decisions = std::array<Decision, static_cast<std::size_t>(Operation::operations)>; // by operation

/// Returns what select_by_costs() does, which computes for longer than a short message takes: a thread knows
/// of each operation what came of it last; where memory has run out it computes.
Algorithm select_by_known_costs(Operation operation, const Situation& situation) noexcept {
  Decisions* const last = lifetime::of_thread<Decisions>();
  if (last == nullptr) return select_by_costs(operation, situation);
  Decision& known = (*last)[static_cast<std::size_t>(operation)];
  if (known.situation != situation || known.costs != costs_in_force)
    known = {situation, costs_in_force, select_by_costs(operation, situation)};
  return known.algorithm;
}

Algorithm select_by_table(Operation operation, const Situation& situation) noexcept {
  if (costs_decide(operation, situation)) return select_by_known_costs(operation, situation);
  for (const Row& row : rows_in_force(operation)) {
    if (can_be_chosen(row, situation)) return row.algorithm;
  }
  return Algorithm::native;
}

/// Reports that an override is not followed, if reports are wanted, once for each operation.
void tell_once(Operation operation, const Situation& situation, Algorithm wanted, Algorithm chosen,
               const char* why) noexcept {
  std::atomic<bool>& is_told = told[static_cast<std::size_t>(operation)];
  if (report_in_force == nullptr || is_told.load(std::memory_order_relaxed) ||
      is_told.exchange(true, std::memory_order_relaxed))
    return;
  std::array<char, 400> text{}; // this is enough for the longest names
  std::snprintf(
      text.data(), text.size(),
      "MPI_HELPER_ALGORITHM=%s=%s is not followed for %zu bytes and %d ranks, as %s: %s is used. This "
      "is said once for each operation",
      name(operation).data(), name(wanted).data(), situation.bytes, situation.ranks, why,
      name(chosen).data());
  report_in_force(text.data());
}

/// Returns the algorithm that the user asks for, if it can be used.
[[gnu::noinline]] Algorithm select_by_wish(Operation operation, const Situation& situation,
                                           Algorithm wanted) noexcept {
  const char* const why = obstacle(operation, wanted, situation);
  if (why == nullptr) return wanted;
  const Algorithm chosen = select_by_table(operation, situation);
  tell_once(operation, situation, wanted, chosen, why);
  return chosen;
}

} // namespace

const NetworkCosts& network_costs() noexcept {
  return costs_in_force;
}

void set_network_costs(const NetworkCosts& costs) noexcept {
  costs_in_force = costs;
}

Algorithm select(Operation operation, const Situation& situation) noexcept {
  const std::optional<Algorithm>& wanted = overrides_in_force[static_cast<std::size_t>(operation)];
  return wanted ? select_by_wish(operation, situation, *wanted) : select_by_table(operation, situation);
}

SlotRounds::SlotRounds(std::size_t chunk, std::size_t element, std::size_t owners, std::size_t share) noexcept
    : slot(owners == 1 ? std::min(chunk, sole_chunk) : chunk), piece(slot / element / owners),
      rounds(piece == 0 ? 0 : (share + piece - 1) / piece) {}

std::vector<Row> never_chosen(std::span<const Row> rows) {
  std::vector<Row> found;
  for (auto row = rows.begin(); row != rows.end(); ++row) {
    const auto hides_it = [row](const Row& earlier) { return hides(earlier, *row); };
    if (std::any_of(rows.begin(), row, hides_it) &&
        std::ranges::count(built_in_rows(row->operation), *row) == 0)
      found.push_back(*row);
  }
  return found;
}

void set_rows(std::vector<Row> rows) {
  static std::vector<Row> kept;
  std::ranges::stable_sort(rows, {}, &Row::operation);
  kept = std::move(rows);
  rows_of_user = {};
  for (const Row& row : kept)
    rows_of_user[static_cast<std::size_t>(row.operation)] = rows_of(kept, row.operation);
}

void set_overrides(const Overrides& overrides, Report report) noexcept {
  overrides_in_force = overrides;
  report_in_force = report;
  for (auto& of_operation : told) of_operation.store(false, std::memory_order_relaxed);
}

std::uint64_t fingerprint() {
  std::string all;
  const auto add = [&all](const auto& value) {
    all.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const auto algorithm : overrides_in_force) add(algorithm.value_or(Algorithm::algorithms));
  for (std::size_t operation = 0; operation < rows_of_user.size(); ++operation) {
    for (const Row& row : rows_in_force(static_cast<Operation>(operation))) all += text(row) + '\n';
  }
  for (const std::size_t number :
       {lanes, nodes_chunk, short_most, shm_linear_most, most_linear, sole_chunk, shm_cico_most, least_piece,
        most_messages, scheduled_most, one_pass_chunks})
    add(number);
  for (const auto& [each, cost] : named_costs()) add(costs_in_force.*cost);
  add(least_gain);
  return std::hash<std::string>{}(all);
}

} // namespace helper::collective
