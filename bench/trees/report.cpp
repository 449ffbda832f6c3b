// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "report.hpp"

#include "common/output.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace bench {
namespace {

using helper::groups::tree::Rank;

std::string percent(double deviation) {
  return fmt::format("{:+.1f}%", deviation * 100);
}

const Cell* find(const Cells& cells, const char* scheme, double fraction, Rank processes) {
  const auto cell = std::ranges::find_if(cells, [&](const Cell& one) {
    return one.scheme->name == scheme && one.fraction == fraction && one.processes == processes;
  });
  return cell == cells.end() ? nullptr : &*cell;
}

/// From here on chance hardly matters to the number of messages.
constexpr Rank many = 65536;

/// How far the cells of a scheme are from the paper's.
struct Deviations {
  int compared = 0, within_15 = 0, within_30 = 0;
  double messages = 0, messages_of_many = 0, time = 0; ///< the greatest

  Deviations(const Cells& cells, const std::string& scheme) {
    for (const Cell& cell : cells) {
      if (cell.scheme->name != scheme || !cell.paper) continue;
      const double of_messages = std::abs(cell.message_deviation()),
                   of_time = std::abs(cell.time_deviation());
      messages = std::max(messages, of_messages);
      if (cell.processes >= many) messages_of_many = std::max(messages_of_many, of_messages);
      time = std::max(time, of_time);
      ++compared;
      within_15 += of_time <= 0.15;
      within_30 += of_time <= 0.3;
    }
  }
};

/// Of the cells that model and paper have: those where the two disagree on whether scheme `one` is faster
/// than the centralised one.
struct Crossing {
  int compared = 0;
  std::string differ;

  Crossing(const Cells& cells, const char* one, double least_fraction, Rank least_processes) {
    for (const Cell& cell : cells) {
      if (cell.scheme->name != one || !cell.paper) continue;
      if (cell.fraction < least_fraction || cell.processes < least_processes) continue;
      const Cell* reference = find(cells, "centralised", cell.fraction, cell.processes);
      if (!reference || !reference->paper) continue;
      ++compared;
      if ((cell.ours.seconds < reference->ours.seconds) != (cell.paper->seconds < reference->paper->seconds))
        differ += fmt::format(" {}@{}k", cell.fraction, cell.processes / 1024);
    }
  }
};

bool print_aim(bool is_met, const std::string& what) {
  fmt::print("{:8} {}\n", is_met ? "met:" : "NOT MET:", what);
  return is_met;
}

} // namespace

void print_costs(const model::Costs& costs) {
  fmt::print("Costs: latency {:.2f} us, overhead {:.2f} us at either processor, link {:.2f} ns/B, processors "
             "{:.2f} ns/B\n",
             costs.latency * 1e6, costs.send_overhead * 1e6, costs.gap_per_byte * 1e9,
             costs.overhead_per_byte * 1e9);
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

void print_memory_head(const std::vector<const NamedScheme*>& schemes) {
  fmt::print(
      "\nBytes of a process: the most that one has and the mean of all while they enrol, and the most that a "
      "member keeps\n{:24}",
      "");
  for (const NamedScheme* scheme : schemes) fmt::print(" | {:^23}", scheme->name);
  fmt::print("\n{:>8} {:>7} {:>7}", "fraction", "n", "m");
  for (std::size_t i = 0; i < schemes.size(); ++i) fmt::print(" | {:>8} {:>7} {:>6}", "most", "mean", "kept");
  fmt::print("\n");
}

void print_memory_line(const Cells& line) {
  fmt::print("{:8} {:7} {:7}", line.front().fraction, line.front().processes, line.front().participants);
  for (const Cell& cell : line)
    fmt::print(" | {:8} {:7.0f} {:6}", cell.ours.most_state_bytes, cell.ours.mean_state_bytes,
               cell.ours.most_place_bytes);
  fmt::print("\n");
  std::fflush(stdout);
}

void print_list_costs(const std::vector<ListCost>& costs) {
  fmt::print(
      "\nTimes of hash with a child and with a leaf as filler, over those with none, of {} processes:\n",
      costs.front().cells.front().processes);
  for (const auto& [cost, cells] : costs) {
    fmt::print("lists cost {:5} of a message:", cost);
    for (std::size_t i = 0; i + 2 < cells.size(); ++i) {
      if (cells[i].scheme->name != "hash") continue;
      const double none = cells[i].ours.seconds;
      fmt::print("  {} {:.2f} {:.2f}", cells[i].fraction, cells[i + 1].ours.seconds / none,
                 cells[i + 2].ours.seconds / none);
    }
    const Deviations balance(cells, "balance");
    fmt::print("; balance within 15 % in {} and within 30 % in {} of {} cells, at most {:.0f} %\n",
               balance.within_15, balance.within_30, balance.compared, balance.time * 100);
  }
}

void print_summary(const Cells& cells, const std::vector<const NamedScheme*>& schemes) {
  fmt::print("\n");
  for (const NamedScheme* scheme : schemes) {
    const Deviations from_paper(cells, scheme->name);
    if (from_paper.compared == 0) continue;
    fmt::print(
        "{:12} messages at most {:.2f} % from the paper's, from 64k on {:.2f} %; times at most {:.0f} %, "
        "within 15 % in {} and within 30 % in {} of {} cells\n",
        scheme->name, from_paper.messages * 100, from_paper.messages_of_many * 100, from_paper.time * 100,
        from_paper.within_15, from_paper.within_30, from_paper.compared);
  }
  for (const char* scheme : {"hash", "balance"}) {
    const Crossing all(cells, scheme, 0, 0);
    if (all.compared > 0 && !all.differ.empty())
      fmt::print("{} before centralised, or behind: not as in the paper at{}\n", scheme, all.differ);
  }
}

bool print_aims(const Cells& cells) {
  const Deviations hash(cells, "hash"), centralised(cells, "centralised"), balance(cells, "balance");
  const auto most_within_30 = [](const Deviations& of) { return of.within_30 >= 0.8 * of.compared; };
  bool all = true;
  all &= print_aim(hash.messages_of_many <= 0.005, "messages of hash from 64k on: within 0.5 %");
  all &= print_aim(centralised.messages == 0, "messages of centralised: the paper's");
  all &= print_aim(balance.messages <= 0.1, "messages of balance: within 10 %");
  all &= print_aim(hash.within_15 == hash.compared, "times of hash: within 15 %");
  all &= print_aim(most_within_30(centralised) && most_within_30(balance),
                   "times of centralised and balance: within 30 % in 80 % of the cells");
  all &= print_aim(
      Crossing(cells, "hash", 0.01, many).differ.empty() &&
          Crossing(cells, "balance", 0, many).differ.empty(),
      "from 64k on hash (from 0.01 on) and balance are ahead of centralised where they are in the paper");
  return all;
}

namespace {

nlohmann::ordered_json json_of(const Cells& cells) {
  auto json = nlohmann::ordered_json::array();
  for (const Cell& cell : cells) {
    auto& entry = json.emplace_back();
    entry = {{"scheme", cell.scheme->name},
             {"fraction", cell.fraction},
             {"processes", cell.processes},
             {"participants", cell.participants},
             {"seconds", cell.ours.seconds},
             {"messages", cell.ours.messages},
             {"bytes", cell.ours.bytes},
             {"deliveries", cell.ours.deliveries},
             {"delivered", cell.ours.delivered},
             {"most_state_bytes", cell.ours.most_state_bytes},
             {"mean_state_bytes", cell.ours.mean_state_bytes},
             {"most_place_bytes", cell.ours.most_place_bytes},
             {"most_children", cell.ours.most_children},
             {"height", cell.ours.height}};
    if (cell.paper) entry["paper"] = {{"seconds", cell.paper->seconds}, {"messages", cell.paper->messages}};
  }
  return json;
}

} // namespace

void write_json(const Cells& cells, const std::vector<ListCost>& list_costs,
                const std::vector<Stretch>& trace, const std::vector<TreePicture>& pictures,
                const model::Costs& costs, const std::string& file) {
  nlohmann::ordered_json json{{"costs_seconds",
                               {{"latency", costs.latency},
                                {"overhead", costs.send_overhead},
                                {"gap_per_byte", costs.gap_per_byte},
                                {"overhead_per_byte", costs.overhead_per_byte}}},
                              {"cells", json_of(cells)}};
  for (const auto& [cost, of_cost] : list_costs)
    json["list_costs"].push_back({{"cost", cost}, {"cells", json_of(of_cost)}});
  for (const auto& [process, since, until, kind] : trace)
    json["trace"].push_back({{"process", process}, {"since", since}, {"until", until}, {"kind", kind}});
  for (const auto& [figure, title, vertices] : pictures) {
    auto& picture = json["pictures"].emplace_back();
    picture = {{"figure", figure}, {"title", title}};
    for (const auto& [process, parent, participates, label] : vertices)
      picture["vertices"].push_back(
          {{"process", process}, {"parent", parent}, {"participates", participates}, {"label", label}});
  }
  bench::write_json(json, file);
}

} // namespace bench
