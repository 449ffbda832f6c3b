// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/selection.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "collective/cost.hpp"
#include "collective/slots.hpp"
#include "lifetime/of_thread.hpp"
#include "team/thread_state.hpp"
#include "transport/fnv1a.hpp"

namespace helper::collective {

namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Operation::operations)> operation_names{
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "reduce_scatter_block",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "scan",
    "exscan",
    "ireduce",
    "iallreduce",
    "ireduce_scatter",
    "ireduce_scatter_block",
    "iscan",
    "iexscan"};
constexpr std::array<std::string_view, static_cast<std::size_t>(Algorithm::algorithms)> algorithm_names{
    "native",
    "dissemination",
    "linear",
    "binomial",
    "pipelined_tree",
    "chain",
    "recursive_doubling",
    "reduce_scatter_allgather",
    "reduce_scatter_gather",
    "pairwise",
    "recursive_halving",
    "ring",
    "scatter_allgather",
    "bruck",
    "two_level",
    "shm_linear",
    "shm_cico",
    "shm_mapped",
    "shm_chain",
    "cma"};

/// This is a name that an algorithm once had in the operations that offer it. It is read for one release.
struct Former {
  std::string_view name;
  Algorithm algorithm;
};
constexpr std::array former_names{Former{"short", Algorithm::binomial},
                                  Former{"shared", Algorithm::shm_cico},
                                  Former{"tree", Algorithm::pipelined_tree},
                                  Former{"tree", Algorithm::chain},
                                  Former{"doubling", Algorithm::recursive_doubling},
                                  Former{"nodes", Algorithm::two_level},
                                  Former{"exchange", Algorithm::reduce_scatter_allgather},
                                  Former{"exchange", Algorithm::reduce_scatter_gather},
                                  Former{"exchange", Algorithm::pairwise},
                                  Former{"staged", Algorithm::shm_cico},
                                  Former{"chained", Algorithm::shm_chain},
                                  Former{"root", Algorithm::linear},
                                  Former{"pairwise", Algorithm::linear},
                                  Former{"flat", Algorithm::shm_linear},
                                  Former{"copied", Algorithm::cma}};

using Rows = std::span<const Row>;

// These are written by set_overrides(), set_rows() and set_network_costs(), before any thread communicates.
constinit Overrides overrides_in_force{};
constinit Report report_in_force = nullptr;
constinit std::array<Rows, static_cast<std::size_t>(Operation::operations)> rows_of_user{}; // by operation
constinit NetworkCosts costs_in_force = default_costs;

constexpr std::array cost_names{
    NamedCost{"latency", &NetworkCosts::latency},
    NamedCost{"local_latency", &NetworkCosts::local_latency},
    NamedCost{"overhead", &NetworkCosts::overhead},
    NamedCost{"per_byte", &NetworkCosts::per_byte},
    NamedCost{"local_byte", &NetworkCosts::local_byte},
    NamedCost{"reduced_byte", &NetworkCosts::reduced_byte},
    NamedCost{"team", &NetworkCosts::team},
};

// This says whether a wish that was not followed has been reported. Relaxed order suffices: of the threads
// that ask at once one is the first to set it, and it says nothing of other memory.
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

/// Tells whether pieces, of which a rank has one on its board, can hold an element, and can be counted.
bool fits_into_pieces(const Situation& situation) noexcept {
  const std::size_t elements = SharedOperation::board_bytes / situation.element; // in a piece
  return elements != 0 && situation.bytes / (elements * situation.element) < SharedOperation::most_steps;
}

/// Tells whether it is blocks that recursive_doubling or binomial sends, in chunks, and no whole vectors.
bool moves_blocks(Operation operation) noexcept {
  return is_allgather(operation) || is_regular_rooted(operation);
}

/// Tells whether messages are large enough where each of `ranks` ranks sends to every other in each round;
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
    return !is_reduce_scatter(operation) || sends_enough(situation, situation.ranks) ? nullptr : too_little;
  default:
    return nullptr;
  }
}

/// Returns what is against the algorithm in the situation; nullptr if it can be used, be it the best or not.
const char* obstacle(Operation operation, Algorithm algorithm, const Situation& situation) noexcept {
  return algorithm >= Algorithm::shm_linear ? obstacle_in_node(operation, algorithm, situation)
                                            : obstacle_of_messages(operation, algorithm, situation);
}

/// Tells whether the table may choose the algorithm. One by one ranks take longer, unless they must anyway.
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

/// Tells whether the algorithm can be used in whatever situation.
bool can_always_be_used(Operation operation, Algorithm algorithm) noexcept {
  Situation hardest{0, any_ranks};
  hardest.nodes = any_ranks;
  hardest.commutes = false;
  const bool can_with_little = obstacle(operation, algorithm, hardest) == nullptr;
  hardest.bytes = any_size;
  return can_with_little && obstacle(operation, algorithm, hardest) == nullptr;
}

/// Tells whether `earlier` is chosen wherever `row` could be.
bool hides(const Row& earlier, const Row& row) noexcept {
  return earlier.operation == row.operation && earlier.most_bytes >= row.most_bytes &&
         earlier.most_ranks >= row.most_ranks &&
         (earlier.algorithm == row.algorithm || can_always_be_used(earlier.operation, earlier.algorithm));
}

bool costs_decide(Operation operation, const Situation& situation) noexcept {
  return situation.nodes > 1 && is_modelled(operation) &&
         (rows_of_user[static_cast<std::size_t>(operation)].empty() || costs_in_force != default_costs);
}

/// Tells whether costs may leave the operation to native MPI. MPICH's ranks cut blocks that differ and go
/// along a ring into pieces, each by the extent of its own type. Where these differ as well, the blocking
/// MPI_Allgatherv fails, and the other form, which would be lent, hangs.
bool may_be_native(Operation operation, const Situation& situation) noexcept {
  return situation.even_blocks ||
         !native_rings(operation, situation.bytes, static_cast<std::size_t>(situation.ranks));
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
    if (seconds < least) std::tie(chosen, least) = std::tuple(row.algorithm, seconds);
  }
  if (!may_be_native(operation, situation)) return chosen;
  const double native = model_seconds(operation, Algorithm::native, situation) + lending;
  return native < native_gain * least ? Algorithm::native : chosen;
}

/// This is what select_by_costs() has returned.
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

/// Says that a wish is not followed, if that is to be said and has not yet been said of this operation.
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

bool offers(Operation operation, Algorithm algorithm) noexcept {
  return algorithm == Algorithm::native ||
         std::ranges::count(built_in_rows(operation), algorithm, &Row::algorithm) != 0;
}

template <class Value, std::size_t count>
std::optional<Value> find(const std::array<std::string_view, count>& names, std::string_view name) noexcept {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Value>(found - names.begin());
}

/// Lists the names for which `accepted(value)` holds.
template <class Value, std::size_t count, class Accepted>
std::string list(const std::array<std::string_view, count>& names, const Accepted& accepted) {
  std::string text;
  for (std::size_t index = 0; index < count; ++index) {
    if (accepted(static_cast<Value>(index))) text.append(text.empty() ? "" : ", ").append(names[index]);
  }
  return text;
}

/// Returns the operation of this name. Throws std::invalid_argument, saying what is accepted where `form` is.
Operation parse_operation(std::string_view text, const char* form) {
  if (const auto operation = find<Operation>(operation_names, text)) return *operation;
  throw std::invalid_argument(std::string(form) + " with one of the operations " +
                              list<Operation>(operation_names, [](Operation) { return true; }));
}

/// Returns the algorithm that once had this name, if it is one for `operation`.
std::optional<Algorithm> find_former(std::string_view text, Operation operation) noexcept {
  const auto is_meant = [&](const Former& former) {
    return former.name == text && offers(operation, former.algorithm);
  };
  const auto found = std::ranges::find_if(former_names, is_meant);
  if (found == former_names.end()) return std::nullopt;
  return found->algorithm;
}

/// Returns the algorithm of this name, if it is one for `operation`. Throws std::invalid_argument, saying
/// which are, and what `else_accepted` is.
Algorithm parse_algorithm(std::string_view text, Operation operation, Renamed& renamed,
                          const char* else_accepted = "") {
  const auto offered = [&](Algorithm candidate) { return offers(operation, candidate); };
  const auto algorithm = find<Algorithm>(algorithm_names, text);
  if (algorithm && offered(*algorithm)) return *algorithm;
  const std::string of(name(operation));
  if (const auto former = find_former(text, operation)) {
    renamed.push_back(of + "=" + std::string(text) + " is now " + of + "=" + std::string(name(*former)));
    return *former;
  }
  throw std::invalid_argument("for " + of + " one of " + else_accepted +
                              list<Algorithm>(algorithm_names, offered));
}

/// Reads "operation=algorithm" into `overrides`. Throws std::invalid_argument, saying what is accepted.
void parse_override(std::string_view text, Overrides& overrides, Renamed& renamed) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const Operation operation =
      parse_operation(equals == text.size() ? "" : text.substr(0, equals), "auto, or operation=algorithm");
  const std::string_view algorithm = text.substr(equals + 1);
  auto& wanted = overrides[static_cast<std::size_t>(operation)];
  wanted.reset();
  if (algorithm != "auto") wanted = parse_algorithm(algorithm, operation, renamed, "auto, ");
}

/// Reads a limit in a row, which is a whole number, or "any".
template <class Number>
Number parse_limit(std::string_view text, Number any) {
  if (text == "any") return any;
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && value >= 0) return value;
  throw std::invalid_argument("a whole number or any in place of \"" + std::string(text) + "\"");
}

Row parse_row(std::istringstream fields, Renamed& renamed) {
  constexpr const char* form = "operation algorithm most-bytes most-ranks";
  std::string operation, algorithm, bytes, ranks, more;
  if (!(fields >> operation >> algorithm >> bytes >> ranks) || fields >> more)
    throw std::invalid_argument(form);
  const Operation of = parse_operation(operation, form);
  return {of, parse_algorithm(algorithm, of, renamed), parse_limit(bytes, any_size),
          parse_limit(ranks, any_ranks)};
}

/// Reads the fields behind "cost" into `costs`.
void parse_cost(std::istringstream& fields, NetworkCosts& costs) {
  std::string wanted, more;
  double value = 0;
  const bool is_read = fields >> wanted >> value && !(fields >> more) && value > 0 && std::isfinite(value);
  const auto found = std::ranges::find(cost_names, wanted, &NamedCost::first);
  if (is_read && found != cost_names.end()) {
    costs.*found->second = value;
    return;
  }
  std::string accepted = "cost, a positive number behind one of";
  for (const auto& [each, member] : cost_names) accepted.append(" ").append(each);
  throw std::invalid_argument(accepted);
}

} // namespace

const NetworkCosts& network_costs() noexcept {
  return costs_in_force;
}

void set_network_costs(const NetworkCosts& costs) noexcept {
  costs_in_force = costs;
}

std::span<const NamedCost> named_costs() noexcept {
  return cost_names;
}

Algorithm select(Operation operation, const Situation& situation) noexcept {
  const std::optional<Algorithm>& wanted = overrides_in_force[static_cast<std::size_t>(operation)];
  return wanted ? select_by_wish(operation, situation, *wanted) : select_by_table(operation, situation);
}

SlotRounds::SlotRounds(std::size_t chunk, std::size_t element, std::size_t owners, std::size_t share) noexcept
    : slot(owners == 1 ? std::min(chunk, sole_chunk) : chunk), piece(slot / element / owners),
      rounds(piece == 0 ? 0 : (share + piece - 1) / piece) {}

std::string_view name(Operation operation) noexcept {
  return operation_names[static_cast<std::size_t>(operation)];
}

std::string_view name(Algorithm algorithm) noexcept {
  return algorithm_names[static_cast<std::size_t>(algorithm)];
}

Tuned parse_tuned(const std::string& text, Renamed& renamed) {
  Tuned tuned;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.resize(std::min(line.find('#'), line.size()));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      std::istringstream fields(line);
      std::string first;
      if (fields >> first && first == "cost") {
        parse_cost(fields, tuned.costs);
      } else {
        tuned.rows.push_back(parse_row(std::istringstream(line), renamed));
      }
    } catch (const std::invalid_argument& accepted) {
      throw std::invalid_argument("line " + std::to_string(number) + ": expected " + accepted.what());
    }
  }
  return tuned;
}

std::string text(const Row& row) {
  const auto limit = [](auto value, auto any) { return value == any ? "any" : std::to_string(value); };
  return std::string(name(row.operation)) + " " + std::string(name(row.algorithm)) + " " +
         limit(row.most_bytes, any_size) + " " + limit(row.most_ranks, any_ranks);
}

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

Overrides parse_overrides(const std::string& text, Renamed& renamed) {
  Overrides overrides{};
  if (text == "auto") return overrides;
  for (std::size_t begin = 0, end = 0; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    parse_override(std::string_view(text).substr(begin, end - begin), overrides, renamed);
  }
  return overrides;
}

void set_overrides(const Overrides& overrides, Report report) noexcept {
  overrides_in_force = overrides;
  report_in_force = report;
  for (auto& of_operation : told) of_operation.store(false, std::memory_order_relaxed);
}

std::uint64_t fingerprint() noexcept {
  std::uint64_t hash = transport::fnv1a::basis;
  const auto add = [&hash](auto value) {
    hash = transport::fnv1a::add(hash, static_cast<std::uint64_t>(value));
  };
  for (const auto algorithm : overrides_in_force) add(algorithm.value_or(Algorithm::algorithms));
  for (std::size_t operation = 0; operation < rows_of_user.size(); ++operation) {
    for (const Row& row : rows_in_force(static_cast<Operation>(operation))) {
      add(row.operation);
      add(row.algorithm);
      add(row.most_bytes);
      add(row.most_ranks);
    }
  }
  for (const std::size_t number :
       {lanes, nodes_chunk, short_most, shm_linear_most, most_linear, sole_chunk, shm_cico_most, least_piece,
        most_messages, scheduled_most, one_pass_chunks})
    add(number);
  for (const auto& [each, cost] : cost_names) add(std::bit_cast<std::uint64_t>(costs_in_force.*cost));
  add(std::bit_cast<std::uint64_t>(native_gain));
  return hash;
}

} // namespace helper::collective
