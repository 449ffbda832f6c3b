// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The names of operations, algorithms and costs, and the texts that users write with them:
// MPI_HELPER_ALGORITHM and the files of MPI_HELPER_TUNE.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "collective/selection.hpp"

namespace helper::collective {

namespace {

constexpr auto& operation_names = names_before<Operation::operations>;

constexpr std::array cost_names{
    NamedCost{"latency", &NetworkCosts::latency},
    NamedCost{"local_latency", &NetworkCosts::local_latency},
    NamedCost{"overhead", &NetworkCosts::overhead},
    NamedCost{"per_byte", &NetworkCosts::per_byte},
    NamedCost{"local_byte", &NetworkCosts::local_byte},
    NamedCost{"reduced_byte", &NetworkCosts::reduced_byte},
    NamedCost{"team", &NetworkCosts::team},
};

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

/// Returns the operation of this name. Throws std::invalid_argument with the accepted form, `form`.
Operation parse_operation(std::string_view text, const char* form) {
  if (const auto operation = find<Operation>(operation_names, text)) return *operation;
  throw std::invalid_argument(std::string(form) + " with one of the operations " +
                              list<Operation>(operation_names, [](Operation) { return true; }));
}

/// Returns an algorithm of `operation` by name. Throws std::invalid_argument that lists what is accepted.
Algorithm parse_algorithm(std::string_view text, Operation operation, const char* else_accepted = "") {
  const auto offered = [&](Algorithm candidate) { return has_method(operation, candidate); };
  const auto algorithm = find<Algorithm>(algorithm_names, text);
  if (algorithm && offered(*algorithm)) return *algorithm;
  throw std::invalid_argument("for " + std::string(name(operation)) + " one of " + else_accepted +
                              list<Algorithm>(algorithm_names, offered));
}

/// Parses "operation=algorithm" into `overrides`. Throws std::invalid_argument with what is accepted.
void parse_override(std::string_view text, Overrides& overrides) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const Operation operation =
      parse_operation(equals == text.size() ? "" : text.substr(0, equals), "auto, or operation=algorithm");
  const std::string_view algorithm = text.substr(equals + 1);
  auto& wanted = overrides[static_cast<std::size_t>(operation)];
  wanted.reset();
  if (algorithm != "auto") wanted = parse_algorithm(algorithm, operation, "auto, ");
}

/// Parses a limit in a row, which is a whole number, or "any".
template <class Number>
Number parse_limit(std::string_view text, Number any) {
  if (text == "any") return any;
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && value >= 0) return value;
  throw std::invalid_argument("a whole number or any in place of \"" + std::string(text) + "\"");
}

Row parse_row(std::istringstream fields) {
  constexpr const char* form = "operation algorithm most-bytes most-ranks";
  std::string operation, algorithm, bytes, ranks, more;
  if (!(fields >> operation >> algorithm >> bytes >> ranks) || fields >> more)
    throw std::invalid_argument(form);
  const Operation of = parse_operation(operation, form);
  return {of, parse_algorithm(algorithm, of), parse_limit(bytes, any_size), parse_limit(ranks, any_ranks)};
}

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

std::span<const NamedCost> named_costs() noexcept {
  return cost_names;
}

std::string_view name(Operation operation) noexcept {
  return operation_names[static_cast<std::size_t>(operation)];
}

Tuned parse_tuned(const std::string& text) {
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
        tuned.rows.push_back(parse_row(std::istringstream(line)));
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

Overrides parse_overrides(const std::string& text) {
  Overrides overrides{};
  if (text == "auto") return overrides;
  for (std::size_t begin = 0, end = 0; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    parse_override(std::string_view(text).substr(begin, end - begin), overrides);
  }
  return overrides;
}

} // namespace helper::collective
