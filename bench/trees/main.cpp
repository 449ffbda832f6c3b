// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "study.hpp"

namespace {

using namespace bench;

constexpr auto description =
    R"(Enrolment in system-ranked process groups, by the library's own algorithms on a simulated Blue Gene/P,
beside what Langer, Venkataraman and Kale measured on a real one (Table II of "Distributed Algorithms for
Constructing Balanced Spanning Trees on System-ranked Process Groups").

A time is from the begin of a broadcast, which starts all processes, to the end of a reduction over the
new group. The model's latency and overhead are fitted to the paper's hash column; --fit does it again. The
other columns are prediction.)";

struct Settings {
  std::vector<std::string> schemes{"centralised", "balance", "hash"};
  std::vector<double> fractions{0.001, 0.01, 0.1, 0.3, 0.6, 0.9, 0.99};
  std::vector<Rank> processes{2048, 4096, 8192, 16384, 32768, 65536, 131072};
  std::vector<double> list_costs;
  bool fit = false, check = false;
  std::string json;
};

using Cells = std::vector<Cell>;

/// From this number of participants on, chance hardly changes the number of messages.
constexpr Rank many = 65536;

/// Returns the share of the scheme's cells in the paper, from a number of processes on, that deviate so
/// little.
double share(const Cells& cells, const std::string& scheme, double (Cell::*deviation)() const, double most,
             Rank least_processes = 0) {
  int compared = 0, close = 0;
  for (const Cell& cell : cells) {
    if (cell.scheme->name != scheme || !cell.paper || cell.processes < least_processes) continue;
    ++compared;
    close += std::abs((cell.*deviation)()) <= most;
  }
  return compared == 0 ? 1 : static_cast<double>(close) / compared;
}

/// Returns whether model and paper agree on where a scheme is faster than the centralised scheme.
bool overtakes_alike(const Cells& cells, const char* scheme, double least_fraction) {
  for (const Cell& cell : cells) {
    if (cell.scheme->name != scheme || cell.fraction < least_fraction || cell.processes < many) continue;
    for (const Cell& other : cells)
      if (other.scheme->name == "centralised" && other.fraction == cell.fraction &&
          other.processes == cell.processes && cell.paper && other.paper &&
          (cell.ours.seconds < other.ours.seconds) != (cell.paper->seconds < other.paper->seconds))
        return false;
  }
  return true;
}

bool print_aim(bool is_met, const std::string& what) {
  fmt::print("{:8} {}\n", is_met ? "met:" : "NOT MET:", what);
  return is_met;
}

/// Prints the allowed distance between model and paper. Returns whether all cells are within it.
bool print_aims(const Cells& cells) {
  const auto messages = &Cell::message_deviation;
  const auto time = &Cell::time_deviation;
  bool all = true;
  all &= print_aim(share(cells, "hash", messages, 0.005, many) == 1,
                   "messages of hash from 64k on: within 0.5 %");
  all &= print_aim(share(cells, "centralised", messages, 0) == 1, "messages of centralised: the paper's");
  all &= print_aim(share(cells, "balance", messages, 0.1) == 1, "messages of balance: within 10 %");
  all &= print_aim(share(cells, "hash", time, 0.15) == 1, "times of hash: within 15 %");
  all &= print_aim(share(cells, "centralised", time, 0.3) >= 0.8 && share(cells, "balance", time, 0.3) >= 0.8,
                   "times of centralised and balance: within 30 % in 80 % of the cells");
  all &= print_aim(
      overtakes_alike(cells, "hash", 0.01) && overtakes_alike(cells, "balance", 0),
      "from 64k on hash (from 0.01 on) and balance are ahead of centralised where they are in the paper");
  return all;
}

Json json_of(const Cell& cell) {
  Json json{{"scheme", cell.scheme->name},
            {"fraction", cell.fraction},
            {"processes", cell.processes},
            {"seconds", cell.ours.seconds},
            {"messages", cell.ours.messages},
            {"deliveries", cell.ours.deliveries},
            {"delivered", cell.ours.delivered},
            {"most_state_bytes", cell.ours.most_state_bytes},
            {"mean_state_bytes", cell.ours.mean_state_bytes},
            {"most_place_bytes", cell.ours.most_place_bytes}};
  if (cell.paper) json["paper"] = {{"seconds", cell.paper->seconds}, {"messages", cell.paper->messages}};
  return json;
}

void run(const Settings& settings) {
  const Paper paper(PAPER_TABLE);
  const model::Costs costs = settings.fit ? fit(paper) : model::blue_gene;
  fmt::print(
      "Costs: latency {:.2f} us, overhead {:.2f} us at either core, link {:.2f} ns/B, cores {:.2f} ns/B\n",
      costs.latency * 1e6, costs.send_overhead * 1e6, costs.gap_per_byte * 1e9,
      costs.overhead_per_byte * 1e9);
  Cells cells;
  Lines lines("");
  for (const double fraction : settings.fractions)
    for (const Rank processes : settings.processes)
      for (const std::string& name : settings.schemes) {
        cells.push_back(run_cell(paper, named_scheme(name), fraction, processes, 1, costs));
        lines.add(json_of(cells.back()));
      }
  Json json{{"cells", lines.all()}};
  const Rank most = std::min(std::ranges::max(settings.processes), 65536); // as in Figs. 6 and 8 of the paper
  for (const double cost : settings.list_costs) {
    Json& entry = json["list_costs"].emplace_back(Json{{"cost", cost}, {"cells", Json::array()}});
    for (const Cell& cell : run_list_cost(paper, cost, most)) entry["cells"].push_back(json_of(cell));
  }
  json["trace"] = run_traced(named_scheme("hash-child"), 40);
  json["figures"] = shrinking_figures();
  write_json(json, settings.json);
  if (settings.check && !print_aims(cells)) throw std::runtime_error("the model is too far from the paper");
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  std::vector<std::string> names;
  for (const NamedScheme& scheme : named_schemes()) names.push_back(scheme.name);
  Program program("trees", description, settings.json);
  program.add_choice("--schemes", settings.schemes, fmt::format("Which of {}", fmt::join(names, ", ")),
                     names);
  program.add_range("--fractions", settings.fractions, "Fractions of the processes that participate", 0.0,
                    1.0);
  program.add_range("--processes", settings.processes, "Numbers of processes", 1, 1 << 24);
  program.add_flag("--fit", settings.fit, "Fit the costs to the paper's figures first, for some minutes");
  program.add_flag("--check", settings.check,
                   "Compare the model with the paper, and fail unless it is close enough");
  program.add("--list-costs", settings.list_costs,
              "Also compute the times, at up to 64k processes, if a list and each filler in it cost as much\n"
              "as this many messages, instead of 1",
              "COST");
  return program.run(argc, argv, [&] { run(settings); });
}
