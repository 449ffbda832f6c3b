// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "tables.hpp"

#include "common/statistics.hpp"
#include "common/text.hpp"
#include "drawings.hpp"
#include "timed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <regex>

namespace bench::report {
namespace {

using nlohmann::json;

std::string microseconds(const Timed& way) {
  return digits(way.seconds * 1e6);
}

std::string gain_name(const Timed& team, const std::vector<Timed>& ways) {
  return fmt::format("{:.2f}", gain(team, ways));
}

std::string both(const Timed& team, const std::vector<Timed>& ways) {
  return microseconds(team) + ", " + gain_name(team, ways);
}

/// Of each way its time, and of a team its gain; `first` stands before.
std::vector<std::string> row_of(std::vector<std::string> first, const std::vector<Timed>& ways) {
  for (const Timed& way : ways) {
    first.push_back(microseconds(way));
    if (way.team) first.push_back(gain_name(way, ways));
  }
  return first;
}

std::vector<std::string> head_of(std::vector<std::string> first, const std::vector<Timed>& ways) {
  for (const Timed& way : ways) {
    first.push_back(way.name);
    if (way.team) first.emplace_back("ratio");
  }
  return first;
}

Table allreduce(const std::vector<json>& results) {
  const json& points = results.front()["operations"]["allreduce"];
  Table table{head_of({"size"}, timed_collective(points[0])), {}};
  for (const json& point : points)
    table.rows.push_back(row_of({size_name(point["bytes"])}, timed_collective(point)));
  return table;
}

/// Returns the name of an MPI and its settings as a cell of several lines: "MPICH Version:      4.2.1" as
/// "MPICH 4.2.1".
std::string mpi_name(std::string name) {
  name = std::regex_replace(name, std::regex("( Version:)? +"), " ");
  return std::regex_replace(name, std::regex(","), "\n");
}

/// A row for each operation and size: the newest MPIs among the ways.
Table peers(const std::vector<json>& results) {
  Table table;
  for (const auto& [operation, points] : results.front()["operations"].items()) {
    for (const json& point : points) {
      const auto ways = timed_collective(point);
      table.head = head_of({"operation", "size"}, ways);
      table.rows.push_back(row_of({function_name(operation), size_name(point["bytes"])}, ways));
    }
  }
  std::ranges::transform(table.head, table.head.begin(), mpi_name);
  return table;
}

/// The same as allreduce(), of several numbers of ranks.
Table oversubscribed(const std::vector<json>& results) {
  Table table;
  for (const json& result : results) {
    for (const json& point : result["operations"]["allreduce"]) {
      const auto ways = timed_collective(point);
      table.head = head_of({"ranks", "size"}, ways);
      table.rows.push_back(row_of({result["machine"]["ranks"].dump(), size_name(point["bytes"])}, ways));
    }
  }
  return table;
}

/// A row for each size, a column for each operation: of the first team.
Table collectives(const std::vector<json>& results) {
  Table table{{"size"}, {}};
  for (const auto& [operation, points] : results.front()["operations"].items()) {
    table.head.push_back(function_name(operation));
    table.rows.resize(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      auto& row = table.rows[i];
      if (row.empty()) row.push_back(size_name(points[i]["bytes"]));
      const auto ways = timed_collective(points[i]);
      row.push_back(both(first_team(ways), ways));
    }
  }
  return table;
}

/// A column for each size among `points`, in the order in which they come.
std::vector<std::string> head_of_sizes(std::vector<std::string> first, const json& points, const char* size) {
  for (const json& point : points) {
    if (point["type"] != points[0]["type"]) break;
    first.push_back(size_name(point[size]));
  }
  return first;
}

/// A row for each type and team, a column for each size.
Table transfers(const std::vector<json>& results) {
  const json &variants = results.front()["variants"], &points = results.front()["points"];
  Table table{head_of_sizes({"type", "by"}, points, "bytes"), {}};
  std::string type;
  std::size_t first = 0; // row of the type at hand
  for (const json& point : points) {
    auto ways = timed_transfer(point, variants);
    if (point["type"] != type) first = table.rows.size();
    std::size_t row = first;
    for (const Timed& way : ways) {
      if (!way.team) continue;
      if (point["type"] != type) table.rows.push_back(std::vector<std::string>{point["type"], way.name});
      table.rows[row++].push_back(both(way, ways));
    }
    type = point["type"];
  }
  return table;
}

/// A row for each type and direction, a column for each size: GB/s of MPI, of one thread and of two.
Table pack(const std::vector<json>& results) {
  Table table{head_of_sizes({"type", ""}, results.front(), "asked_bytes"), {}};
  for (const json& point : results.front()) {
    std::size_t row = table.rows.size() - 2;
    if (table.rows.empty() || point["type"] != table.rows.back().front()) {
      row = table.rows.size();
      table.rows.push_back(std::vector<std::string>{point["type"], "pack"});
      table.rows.push_back(std::vector<std::string>{point["type"], "unpack"});
    }
    for (const char* direction : {"pack_seconds", "unpack_seconds"}) {
      const auto rate = [&](const char* way) {
        return digits(gigabytes(point["bytes"], point[direction][way]));
      };
      table.rows[row++].push_back(fmt::format("{} / {} / {}", rate("native"), rate("alone"), rate("team")));
    }
  }
  return table;
}

/// All of what `costs` has measured.
Table costs(const std::vector<json>& results) {
  Table table{{"", "median", "p10", "p90", "unit", "limit"}, {}};
  for (const json& cost : results.front())
    table.rows.push_back({cost["what"], digits(cost["median"]), digits(cost["p10"]), digits(cost["p90"]),
                          cost["unit"],
                          cost.contains("limit") ? fmt::format("{:g}", cost["limit"].get<double>()) : ""});
  return table;
}

/// Of the largest parent: a row for each size of the group, a column for each way.
Table creation(const std::vector<json>& results) {
  int most = 0;
  for (const json& creation : results.front()) most = std::max(most, creation["parent"].get<int>());
  Table table;
  for (const json& creation : results.front()) {
    if (creation["parent"] != most) continue;
    table.head = {fmt::format("of {} ranks", most)};
    auto& row = table.rows.emplace_back(std::vector{creation["group"].dump()});
    for (const auto& [way, seconds] : creation["seconds"].items()) {
      table.head.push_back(way);
      row.push_back(digits(seconds.get<double>() * 1e3));
    }
  }
  return table;
}

/// Of parents of few ranks: a row for each of them and size of the group, a column for each way;
/// microseconds.
Table creation_of_few(const std::vector<json>& results) {
  constexpr int few = 8;
  Table table;
  for (const json& creation : results.front()) {
    if (creation["parent"] > few) continue;
    table.head = {"ranks of the group, of all"};
    auto& row = table.rows.emplace_back(
        std::vector{fmt::format("{} of {}", creation["group"].get<int>(), creation["parent"].get<int>())});
    for (const auto& [way, seconds] : creation["seconds"].items()) {
      table.head.push_back(way);
      row.push_back(digits(seconds.get<double>() * 1e6));
    }
  }
  return table;
}

/// A row for each size of the group, a column for each way: steps and microseconds.
Table creation_model(const std::vector<json>& results) {
  Table table{{"members"}, {}};
  for (const json& point : results.front()) {
    const std::string group = point["group"].dump();
    if (table.rows.empty() || table.rows.back().front() != group) table.rows.push_back({group});
    if (table.rows.size() == 1) table.head.push_back(point["way"]);
    table.rows.back().push_back(
        fmt::format("{}, {}", point["steps"].get<long>(), digits(point["seconds"].get<double>() * 1e6)));
  }
  return table;
}

/// Of a process in an enrolment: a row for each number of processes, a column for each scheme: the most bytes
/// and the mean of all processes meanwhile, and the most that one keeps.
Table trees_memory(const std::vector<json>& results) {
  Table table{{"processes"}, {}};
  for (const json& cell : results.front()["cells"]) {
    const std::string processes = cell["processes"].dump();
    if (table.rows.empty() || table.rows.back().front() != processes) table.rows.push_back({processes});
    if (table.rows.size() == 1) table.head.push_back(cell["scheme"]);
    table.rows.back().push_back(fmt::format("{}, {:.0f}, {}", cell["most_state_bytes"].get<long>(),
                                            cell["mean_state_bytes"].get<double>(),
                                            cell["most_place_bytes"].get<long>()));
  }
  return table;
}

/// A row for each number of ranks.
Table groups(const std::vector<json>& results) {
  constexpr std::array schemes{"balance", "hash", "centralised"};
  Table table{{"ranks", "MPI_Comm_split", schemes[0], schemes[1], schemes[2]}, {}};
  const std::string what = "made and freed, all, us";
  for (const json& result : results) {
    const double split = median_of(result, what, "MPI_Comm_split");
    auto& row = table.rows.emplace_back(std::vector{result.front()["ranks"].dump(), digits(split)});
    for (const char* scheme : schemes) {
      const double time = median_of(result, what, std::string(scheme) + ", k 4");
      row.push_back(fmt::format("{}, {:.1f}", digits(time), split / time));
    }
  }
  return table;
}

/// Bytes at rank 0 of a group and of a communicator: a row for each number of ranks.
Table groups_memory(const std::vector<json>& results) {
  Table table{{"ranks", "group", "communicator"}, {}};
  for (const json& result : results)
    for (const json& line : result)
      if (line["what"] == "bytes")
        table.rows.push_back({line["ranks"].dump(), fmt::format("{:.0f}", line["group"].get<double>()),
                              fmt::format("{:.0f}", line["communicator"].get<double>())});
  return table;
}

/// A row for each team, a column for each size: how MPI_Allreduce's time compares with the group's.
Table groups_allreduce(const std::vector<json>& results) {
  Table table{{"team"}, {}};
  for (const auto& [team, bytes, ratio] : group_reductions(results.front())) {
    if (table.rows.empty() || table.rows.back().front() != team) table.rows.push_back({team});
    if (table.rows.size() == 1) table.head.push_back(size_name(bytes));
    table.rows.back().push_back(fmt::format("{:.2f}", ratio));
  }
  return table;
}

/// A row for each program and number of threads: seconds in all and in MPI, natively and with the library.
Table programs(const std::vector<json>& results) {
  Table table{{"program", "ranks x threads", "native", "in MPI", "library", "in MPI", "ratio"}, {}};
  const auto median = [](const json& way, const char* what) {
    return digits(way[what]["median"].get<double>());
  };
  for (const json& program : results.front())
    for (const auto& [threads, native, library, ratio] : preloaded_runs(program))
      table.rows.push_back({program["name"], fmt::format("{} x {}", program["ranks"].get<int>(), threads),
                            median(native, "seconds"), median(native, "seconds_in_mpi"),
                            median(library, "seconds"), median(library, "seconds_in_mpi"),
                            fmt::format("{:.3f}", ratio)});
  return table;
}

Table nodes(const std::vector<json>& results) {
  return node_table(results.front());
}
Table other_nodes(const std::vector<json>& results) {
  return other_node_table(results.front());
}

/// What the first team took over what the model of costs says, where that has a say.
std::optional<double> over_model(const json& point) {
  const json& variants = point["variants"];
  const auto team =
      std::ranges::find_if(variants, [](const json& variant) { return variant["team_size"] != 0; });
  if (!team->contains("modelled")) return std::nullopt;
  return (*team)["seconds"]["median"].get<double>() / (*team)["modelled"]["seconds"].get<double>();
}

/// For each size how far the model is off in half of the operations, and in all; empty where it has no say.
std::vector<std::string> cells_off_model(const json& operations) {
  std::vector<std::vector<double>> ratios;
  for (const json& points : operations) {
    ratios.resize(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
      if (const auto ratio = over_model(points[i])) ratios[i].push_back(*ratio);
  }
  std::vector<std::string> cells;
  for (const std::vector<double>& of_size : ratios) {
    if (of_size.empty()) return {};
    const Deviations off = deviations(of_size);
    cells.push_back(fmt::format("{:.0f} %, {:.0f} %", off.half, off.all));
  }
  return cells;
}

/// A row for each operation and number of hosts, a column for each size: milliseconds of the first team, its
/// gain, and its time over the model's. Then how far the model is off.
Table hosts(const std::vector<json>& results) {
  Table table;
  for (const auto& [operation, first] : results.front()["operations"].items()) {
    for (const json& result : results) {
      if (!result["operations"].contains(operation)) continue;
      const json& points = result["operations"][operation];
      table.head = {"operation", "hosts"};
      auto& row = table.rows.emplace_back(
          std::vector<std::string>{function_name(operation), result["machine"]["ranks"].dump()});
      for (const json& point : points) {
        table.head.push_back(size_name(point["bytes"]));
        const auto ways = timed_collective(point);
        const Timed& team = first_team(ways);
        row.push_back(digits(team.seconds * 1e3) + ", " + gain_name(team, ways));
        if (const auto ratio = over_model(point)) row.back() += fmt::format(", {:.2f}", *ratio);
      }
    }
  }
  for (const json& result : results) {
    const auto cells = cells_off_model(result["operations"]);
    if (cells.empty()) continue;
    auto& row =
        table.rows.emplace_back(std::vector<std::string>{"off the model", result["machine"]["ranks"].dump()});
    row.insert(row.end(), cells.begin(), cells.end());
  }
  return table;
}

/// A row for each operation, a column for each size: natively and by a team of 1 the microseconds when it is
/// waited for at once, and how much of it is hidden behind a computation.
Table overlap(const std::vector<json>& results) {
  const auto cell = [](const json& line) {
    return fmt::format("{} ({:.0f} %)", digits(line["pure"]), 100 * line["overlap"].get<double>());
  };
  Table table{{"operation"}, {}};
  std::string native;
  for (const json& line : results.front()) {
    if (table.rows.empty() || table.rows.back().front() != line["operation"].get<std::string>())
      table.rows.push_back(std::vector<std::string>{line["operation"]});
    if (line["team"] == 0) {
      native = cell(line);
    } else if (line["team"] == 1) {
      if (table.rows.size() == 1) table.head.push_back(size_name(line["bytes"]));
      table.rows.back().push_back(native + " → " + cell(line));
    }
  }
  return table;
}

/// A row for each operation, size and way: what the first call takes, those up to the fifth, and the
/// hundredth, how the first five compare with that, and of a team with native ones.
Table first_calls(const std::vector<json>& results) {
  Table table{{"operation", "size", "", "call 1", "calls 2 to 5", "call 100", "1 to 5 : 100", "ratio"}, {}};
  double native = 0;
  for (const json& line : results.front()) {
    const double five = line["first_five"];
    const int team = line["team"];
    if (team == 0) native = five;
    table.rows.push_back({function_name(line["operation"]), size_name(line["bytes"]),
                          team == 0 ? "MPICH" : fmt::format("team of {}", team), digits(line["first"]),
                          digits(line["next_four"]), digits(line["hundredth"]),
                          fmt::format("{:.2f}", five / line["hundredth"].get<double>()),
                          team == 0 ? "" : fmt::format("{:.2f}", native / five)});
  }
  return table;
}

/// A row for each load and each thing measured: the runs natively and with the library, and the worst ones'
/// ratio.
Table busy_neighbour(const std::vector<json>& results) {
  const auto range = [](const std::vector<double>& runs) {
    return fmt::format("{} to {}", digits(std::ranges::min(runs)), digits(std::ranges::max(runs)));
  };
  Table table{{"processes beside", "what", "MPICH", "library", "worst : worst"}, {}};
  for (const json& line : results.front()) {
    const std::vector<double> native = line["native"], library = line["library"];
    table.rows.push_back({line["load"], line["what"], range(native), range(library),
                          fmt::format("{:.2f}", std::ranges::max(library) / std::ranges::max(native))});
  }
  return table;
}

} // namespace

const std::vector<TableOfPage>& tables() {
  static const std::string performance = "performance.md", appendix = "appendix.md", design = "design.md";
  static const std::vector<TableOfPage> all{
      {performance, "allreduce", {"throughput"}, allreduce, draw_allreduce},
      {appendix, "alloc-mem", {"alloc_mem"}, allreduce, draw_allreduce},
      {appendix,
       "oversubscribed",
       {"oversubscribed-4", "oversubscribed-8", "oversubscribed-16", "oversubscribed-32"},
       oversubscribed,
       draw_oversubscribed},
      {appendix, "first-calls", {"first_calls"}, first_calls, nullptr},
      {appendix, "collectives", {"collectives"}, collectives, draw_collectives},
      {appendix, "peers", {"peers"}, peers, draw_peers},
      {performance, "transfers", {"transfers"}, transfers, draw_transfers},
      {appendix, "pack", {"pack"}, pack, draw_packing},
      {appendix, "helpers", helper_results(), helper_table, draw_helpers},
      {appendix, "helpers-sums", helper_results(), sum_table, draw_sums},
      {performance, "costs", {"costs"}, costs, nullptr},
      {appendix, "busy-neighbour", {"busy_neighbour"}, busy_neighbour, nullptr},
      {performance, "programs", {"programs"}, programs, draw_programs},
      {appendix, "creation", {"creation"}, creation, draw_creation},
      {appendix, "groups", {"groups", "groups-many"}, groups, draw_groups},
      {appendix, "groups-memory", {"groups", "groups-many"}, groups_memory, nullptr},
      {appendix, "groups-allreduce", {"groups"}, groups_allreduce, draw_groups_allreduce},
      {appendix, "enrolments", enrolment_results(), enrolment_table, draw_enrolments},
      {appendix, "trees-memory", {"trees_memory"}, trees_memory, draw_trees_memory},
      {appendix, "nodes", {"nodes"}, nodes, draw_nodes},
      {appendix, "nodes-others", {"nodes"}, other_nodes, nullptr},
      {appendix, "creation-few", {"creation"}, creation_of_few, nullptr},
      {appendix, "creation-model", {"creation_model"}, creation_model, draw_creation_model},
      {appendix, "mcmc", {"mcmc", "mcmc_model"}, mcmc_table, nullptr},
      {appendix, "mcmc-threads", mcmc_threads_results(), mcmc_threads_table, nullptr},
      {appendix, "deposit", {"idle_threads"}, deposit_table, nullptr},
      {appendix, "columns", {"idle_threads"}, columns_table, nullptr},
      {appendix, "columns-region", {"idle_threads"}, columns_in_region_table, nullptr},
      {appendix, "hosts", {"hosts-2", "hosts-4", "hosts-8", "hosts-16"}, hosts, nullptr},
      {design, "overlap", {"overlap"}, overlap, nullptr},
      {design, "trees-paper", {"trees"}, paper_deviations, nullptr},
      {design, "trees-lists", {"trees"}, list_cost_table, nullptr}};
  return all;
}

std::optional<Made> make(const TableOfPage& table, const Results& results) {
  std::vector<json> found;
  Made made;
  for (const std::string& name : table.results) {
    const auto result = results.json(name);
    if (!result) continue;
    found.push_back(*result);
    made.sources.push_back(results.source(name));
  }
  if (found.empty()) return std::nullopt;
  made.table = table.make(found);
  if (table.draw != nullptr) made.drawing = table.draw(found);
  return made;
}

} // namespace bench::report
