// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "report.hpp"

#include "common/output.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace bench {
namespace {

using helper::tree::Rank;

std::string percent(double deviation) {
  return fmt::format("{:+.1f}%", deviation * 100);
}

const Cell* find(const Cells& cells, const char* scheme, double fraction, Rank processes) {
  const auto cell = std::ranges::find_if(cells, [&](const Cell& one) {
    return one.scheme->name == scheme && one.fraction == fraction && one.processes == processes;
  });
  return cell == cells.end() ? nullptr : &*cell;
}

/// The cells in which scheme `one` is faster than the centralised one, and for how many of them the paper
/// says the same as the model.
void print_crossing(const Cells& cells, const char* one) {
  int agree = 0, both = 0;
  std::string differ;
  for (const Cell& cell : cells) {
    if (cell.scheme->name != one || !cell.paper) continue;
    const Cell* reference = find(cells, "centralised", cell.fraction, cell.processes);
    if (!reference || !reference->paper) continue;
    ++both;
    if ((cell.ours.seconds < reference->ours.seconds) == (cell.paper->seconds < reference->paper->seconds))
      ++agree;
    else
      differ += fmt::format(" {}@{}k", cell.fraction, cell.processes / 1024);
  }
  if (both > 0)
    fmt::print("{} before centralised, or behind: as in the paper in {} of {} cells{}{}\n", one, agree, both,
               differ.empty() ? "" : "; not at", differ);
}

} // namespace

void print_costs(const model::EnrolmentCosts& costs) {
  const auto& [messages, per_list, per_filler] = costs;
  fmt::print(
      "Costs: latency {:.2f} us, overhead of sending {:.2f} us, of receiving {:.2f} us, link {:.2f} ns/B,\n"
      "       processors {:.2f} ns/B, list {:.2f} us, filler {:.2f} us\n",
      messages.latency * 1e6, messages.send_overhead * 1e6, messages.receive_overhead * 1e6,
      messages.gap_per_byte * 1e9, messages.overhead_per_byte * 1e9, per_list * 1e6, per_filler * 1e6);
}

void print_table_head(const std::vector<const NamedScheme*>& schemes) {
  fmt::print("\n{:24}", "");
  for (const NamedScheme* scheme : schemes) fmt::print(" | {:^37}", scheme->name);
  fmt::print("\n{:>8} {:>7} {:>7}", "fraction", "n", "m");
  for (std::size_t i = 0; i < schemes.size(); ++i)
    fmt::print(" | {:>8} {:>6}  {:>6} {:>6} {:>7}", "messages", "paper", "us", "paper", "");
  fmt::print("\n");
}

void print_line(const Cells& line) {
  fmt::print("{:8} {:7} {:7}", line.front().fraction, line.front().processes, line.front().participants);
  for (const Cell& cell : line) {
    const auto& paper = cell.paper;
    fmt::print(" | {:8} {:>6}  {:6.0f} {:>6} {:>7}", cell.ours.messages,
               paper ? percent(cell.message_deviation()) : "-", cell.ours.seconds * 1e6,
               paper ? fmt::format("{:.0f}", paper->seconds * 1e6) : "-",
               paper ? percent(cell.time_deviation()) : "-");
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void print_summary(const Cells& cells, const std::vector<const NamedScheme*>& schemes) {
  fmt::print("\n");
  for (const NamedScheme* scheme : schemes) {
    int compared = 0, within_15 = 0, within_30 = 0;
    double messages = 0, time = 0;
    std::optional<double> messages_128k;
    for (const Cell& cell : cells) {
      if (cell.scheme != scheme || !cell.paper) continue;
      const double deviation = std::abs(cell.message_deviation());
      messages = std::max(messages, deviation);
      if (cell.processes == 131072) messages_128k = std::max(messages_128k.value_or(0), deviation);
      time = std::max(time, std::abs(cell.time_deviation()));
      ++compared;
      within_15 += std::abs(cell.time_deviation()) <= 0.15;
      within_30 += std::abs(cell.time_deviation()) <= 0.3;
    }
    if (compared == 0) continue;
    const auto at_128k = messages_128k ? fmt::format(" (at 128k {:.2f} %)", *messages_128k * 100) : "";
    fmt::print(
        "{:12} messages at most {:.2f} % from the paper's{}; times at most {:.0f} %, within 15 % in {} and "
        "within 30 % in {} of {} cells\n",
        scheme->name, messages * 100, at_128k, time * 100, within_15, within_30, compared);
  }
  for (const char* scheme : {"hash", "balance"}) print_crossing(cells, scheme);
}

void write_json(const Cells& cells, const model::EnrolmentCosts& costs, const std::string& file) {
  const auto& [messages, per_list, per_filler] = costs;
  nlohmann::ordered_json json{{"costs_seconds",
                               {{"latency", messages.latency},
                                {"send_overhead", messages.send_overhead},
                                {"receive_overhead", messages.receive_overhead},
                                {"gap", messages.gap},
                                {"gap_per_byte", messages.gap_per_byte},
                                {"overhead_per_byte", messages.overhead_per_byte},
                                {"per_list", per_list},
                                {"per_filler", per_filler}}},
                              {"cells", nlohmann::ordered_json::array()}};
  for (const Cell& cell : cells) {
    auto& entry = json["cells"].emplace_back();
    entry = {{"scheme", cell.scheme->name},
             {"fraction", cell.fraction},
             {"processes", cell.processes},
             {"participants", cell.participants},
             {"seconds", cell.ours.seconds},
             {"messages", cell.ours.messages},
             {"bytes", cell.ours.bytes},
             {"most_state_bytes", cell.ours.most_state_bytes},
             {"most_children", cell.ours.most_children},
             {"height", cell.ours.height}};
    if (cell.paper) entry["paper"] = {{"seconds", cell.paper->seconds}, {"messages", cell.paper->messages}};
  }
  bench::write_json(json, file);
}

} // namespace bench
