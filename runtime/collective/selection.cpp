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

// The settings. set_overrides(), set_rows() and set_network_costs() write them, before any communication.
constinit struct {
  Overrides overrides{};
  Report report = nullptr;
  std::array<std::span<const Row>, static_cast<std::size_t>(Operation::operations)> rows{}; // by operation
  NetworkCosts costs = default_costs;
} in_force;

// Whether an override that could not be followed has been reported. Relaxed: of several threads that ask at
// the same time, one sets it first; it orders no other memory.
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

/// Returns whether a piece, which fits into a payload, can hold an element, and a flag can count all pieces.
bool fits_into_pieces(const Situation& situation) noexcept {
  const std::size_t elements = SharedOperation::payload_bytes / situation.element; // in a piece
  return elements != 0 && situation.bytes / (elements * situation.element) < SharedOperation::most_steps;
}

/// Returns whether messages are large enough if each of `ranks` ranks sends to every other in each round. For
/// few ranks, or within a node, any size is enough.
bool sends_enough(const Situation& situation, int ranks) noexcept {
  if (situation.nodes == 1 || ranks <= few_ranks) return true;
  return std::min(situation.bytes, situation.chunk) / static_cast<std::size_t>(ranks - 1) >= least_piece;
}

/// Returns why the algorithm cannot be used in the situation; nullptr if it can.
const char* obstacle(Operation operation, Algorithm algorithm, const Situation& situation) noexcept {
  return method(operation, algorithm).obstacle(operation, situation);
}

/// Returns whether the table may choose the algorithm. shm_chain is slower, unless ranks are oversubscribed.
bool pays(Algorithm algorithm, const Situation& situation) noexcept {
  return algorithm != Algorithm::shm_chain || situation.oversubscribed;
}

std::span<const Row> rows_in_force(Operation operation) noexcept {
  const std::span<const Row> of_user = in_force.rows[static_cast<std::size_t>(operation)];
  return of_user.empty() ? built_in_rows(operation) : of_user;
}

bool can_be_chosen(const Row& row, const Situation& situation) noexcept {
  return situation.bytes <= row.most_bytes && situation.ranks <= row.most_ranks &&
         obstacle(row.operation, row.algorithm, situation) == nullptr && pays(row.algorithm, situation);
}

/// Returns whether the algorithm can be used in every situation.
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
         (in_force.rows[static_cast<std::size_t>(operation)].empty() || in_force.costs != default_costs);
}

/// Returns whether the costs may choose native MPI: not for a reduce-scatter, in which other ranks may pass
/// MPI_IN_PLACE (quirk aborts_in_place), nor for uneven blocks along a ring (quirk ring_cuts_by_own_extent).
bool may_be_native(Operation operation, const Situation& situation) noexcept {
  return !is_reduce_scatter(operation) &&
         (situation.even_blocks ||
          !native_rings(operation, situation.bytes, static_cast<std::size_t>(situation.ranks)));
}

// Returns the algorithm that costs least. Native MPI competes by its costs; rows for it are ignored. Computes
// in the state in which programs start, so that ranks with different rounding modes agree.
Algorithm select_by_costs(Operation operation, const Situation& situation) {
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

/// Does what select_by_costs() does. Since this takes longer than a short message, a thread caches the last
/// result for each operation. Without memory for the cache it computes each time.
Algorithm select_by_known_costs(Operation operation, const Situation& situation) {
  auto* const last = lifetime::of_thread<
      std::array<std::optional<std::tuple<Situation, NetworkCosts, Algorithm>>, in_force.rows.size()>>();
  if (last == nullptr) return select_by_costs(operation, situation);
  auto& known = (*last)[static_cast<std::size_t>(operation)];
  if (!known || std::get<0>(*known) != situation || std::get<1>(*known) != in_force.costs)
    known.emplace(situation, in_force.costs, select_by_costs(operation, situation));
  return std::get<2>(*known);
}

Algorithm select_by_table(Operation operation, const Situation& situation) {
  if (costs_decide(operation, situation)) return select_by_known_costs(operation, situation);
  for (const Row& row : rows_in_force(operation)) {
    if (can_be_chosen(row, situation)) return row.algorithm;
  }
  return Algorithm::native;
}

/// Reports that an override is not followed, if reports are enabled, once for each operation.
void tell_once(Operation operation, const Situation& situation, Algorithm wanted, Algorithm chosen,
               const char* why) noexcept {
  std::atomic<bool>& is_told = told[static_cast<std::size_t>(operation)];
  if (in_force.report == nullptr || is_told.load(std::memory_order_relaxed) ||
      is_told.exchange(true, std::memory_order_relaxed))
    return;
  std::array<char, 400> text{}; // enough for the longest names
  std::snprintf(
      text.data(), text.size(),
      "MPI_HELPER_ALGORITHM=%s=%s is not followed for %zu bytes and %d ranks, as %s: %s is used. This "
      "is said once for each operation",
      name(operation).data(), name(wanted).data(), situation.bytes, situation.ranks, why,
      name(chosen).data());
  in_force.report(text.data());
}

/// Returns the algorithm that the user asks for, if it can be used.
[[gnu::noinline]] Algorithm select_by_wish(Operation operation, const Situation& situation,
                                           Algorithm wanted) {
  const char* const why = obstacle(operation, wanted, situation);
  if (why == nullptr) return wanted;
  const Algorithm chosen = select_by_table(operation, situation);
  tell_once(operation, situation, wanted, chosen, why);
  return chosen;
}

} // namespace

namespace needs {

constexpr const char* for_sharers = "it is for ranks that share memory";
constexpr const char* for_fewer = "its elements are too large, or too many";
constexpr const char* for_any_order = "it is for what may be combined in any order";
constexpr const char* too_little = "every rank would send every other too little at a time";

const char* nothing(Operation, const Situation&) noexcept {
  return nullptr;
}
const char* little(Operation, const Situation& situation) noexcept {
  static_assert(short_most == 8192);
  return situation.bytes <= short_most ? nullptr : "it is for at most 8 KiB";
}
const char* any_order(Operation, const Situation& situation) noexcept {
  return situation.commutes ? nullptr : for_any_order;
}
const char* large_pieces(Operation, const Situation& situation) noexcept {
  return sends_enough(situation, situation.ranks) ? nullptr : too_little;
}
const char* large_pieces_if_in_any_order(Operation operation, const Situation& situation) noexcept {
  return situation.commutes ? large_pieces(operation, situation) : nullptr; // only pairwise keeps order
}
const char* several_nodes(Operation, const Situation& situation) noexcept {
  if (!situation.across_nodes) return "it is for several nodes, of several ranks";
  if (situation.nodes > 2 && !situation.commutes) return for_any_order;
  return sends_enough(situation, situation.most_on_node) ? nullptr : too_little;
}
const char* shared_memory(Operation operation, const Situation& situation) noexcept {
  if (!situation.shares_memory) return for_sharers;
  return shown(operation, situation) <= shm_linear_most ? nullptr : "it is for less data";
}
const char* slots(Operation operation, const Situation& situation) noexcept {
  if (!situation.shares_memory) return for_sharers;
  if (!situation.has_slots) return "memory that the ranks share is used up";
  return fits_into_slots(operation, situation) ? nullptr : for_fewer;
}
const char* pieces(Operation, const Situation& situation) noexcept {
  if (!situation.shares_memory) return for_sharers;
  return fits_into_pieces(situation) ? nullptr : for_fewer;
}
const char* copies(Operation, const Situation& situation) noexcept {
  return situation.can_copy ? nullptr : "it is for ranks that may copy from one another's memory";
}
const char* copies_and_slots(Operation operation, const Situation& situation) noexcept {
  const char* const obstacle = copies(operation, situation);
  return obstacle != nullptr ? obstacle : slots(operation, situation);
}

} // namespace needs

const NetworkCosts& network_costs() noexcept {
  return in_force.costs;
}

void set_network_costs(const NetworkCosts& costs) noexcept {
  in_force.costs = costs;
}

Algorithm select(Operation operation, const Situation& situation) {
  const std::optional<Algorithm>& wanted = in_force.overrides[static_cast<std::size_t>(operation)];
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

void set_rows(const std::vector<Row>& rows) {
  static std::array<std::vector<Row>, in_force.rows.size()> kept;
  kept = {};
  for (const Row& row : rows) kept[static_cast<std::size_t>(row.operation)].push_back(row);
  std::ranges::copy(kept, in_force.rows.begin());
}

void set_overrides(const Overrides& overrides, Report report) noexcept {
  in_force.overrides = overrides;
  in_force.report = report;
  for (auto& of_operation : told) of_operation.store(false, std::memory_order_relaxed);
}

std::uint64_t fingerprint() {
  std::string all;
  const auto add = [&all](const auto& value) {
    all.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const auto algorithm : in_force.overrides) add(algorithm.value_or(Algorithm::algorithms));
  for (std::size_t operation = 0; operation < in_force.rows.size(); ++operation) {
    for (const Row& row : rows_in_force(static_cast<Operation>(operation))) all += text(row) + '\n';
  }
  for (const std::size_t number :
       {lanes, nodes_chunk, short_most, shm_linear_most, most_linear, sole_chunk, shm_cico_most, joined_most,
        least_piece, most_messages, scheduled_most, one_pass_chunks})
    add(number);
  for (const auto& [each, cost] : named_costs()) add(in_force.costs.*cost);
  add(least_gain);
  return std::hash<std::string>{}(all);
}

} // namespace helper::collective
