// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/output.hpp"
#include "common/program.hpp"
#include "common/progress.hpp"
#include "common/statistics.hpp"
#include "common/text.hpp"
#include "pair.hpp"

#include "shm/room.hpp"
#include "topology/machine.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace bench;

constexpr auto description =
    R"(How a process should write memory that another one of its node has read and will read again: by plain stores,
with a prefetch for writing or without, by plain stores to rooms, or by streaming stores. Timed is the round
trip: rank 0 writes a message and sets a flag, rank 1 copies it and sets a flag. The ways take turns. With each
sample it is seen whether the processors are near, as the library finds out (runtime/shm/shared_cache.hpp), or
far: on virtual machines that changes within seconds.
To be run under mpiexec on an idle machine: mpiexec -n 2 stores --max 1MiB)";

struct Settings {
  std::size_t least = 64, most = std::size_t{64} << 20;
  std::size_t ring = helper::shm::Room::buffer_bytes(helper::topology::Machine::local().second_level_cache());
  double budget = 60; ///< seconds for all
  std::string json;
};

/// How far the processors are from one another; an index of what follows.
constexpr std::array distances{"near", "far"};
std::size_t distance(Pair& pair) {
  return pair.is_near() ? 0 : 1;
}

using Samples = std::vector<double>; ///< seconds
struct Point {
  std::size_t bytes;
  std::array<std::array<Samples, ways.size()>, distances.size()> round_trips = {};
};

struct Report {
  std::vector<Point> points = {};
  std::array<std::size_t, distances.size()> samples = {};
};

/// A sample of each way, left out if the distance changed meanwhile.
void sample(Pair& pair, Point& point, Report& report) {
  std::size_t before = distance(pair);
  for (std::size_t way = 0; way < ways.size(); ++way) {
    const double seconds = pair.round_trip(static_cast<Way>(way), point.bytes);
    const std::size_t after = distance(pair);
    ++report.samples[after];
    if (before == after) point.round_trips[after][way].push_back(seconds);
    before = after;
  }
}

/// Measures all sizes in turn, several times, so that each meets both distances if the machine has them.
Report measure(Pair& pair, const Settings& settings) {
  constexpr std::size_t rounds = 12;
  Report report;
  for (auto bytes = std::bit_ceil(settings.least); bytes <= settings.most; bytes *= 2)
    report.points.push_back({bytes});
  if (report.points.empty()) throw std::invalid_argument("no power of two lies between --min and --max");
  auto turns = static_cast<double>(rounds * report.points.size());
  const double end = MPI_Wtime() + settings.budget;
  Progress progress(ProgressStyle::lines, rounds);
  for (std::size_t round = 0; round < rounds; ++round) {
    progress.begin(
        fmt::format("all sizes, after {} samples near and {} far", report.samples[0], report.samples[1]));
    for (Point& point : report.points) {
      const double begin = MPI_Wtime(), share = (end - begin) / turns--;
      do sample(pair, point, report);
      while (MPI_Wtime() - begin < share);
    }
  }
  return report;
}

/// The median of each way and how many times as long as the shortest it is.
std::string cells(const std::array<Samples, ways.size()>& round_trips) {
  if (std::ranges::any_of(round_trips, &Samples::empty)) return fmt::format(" | {:^55}", "–");
  std::array<double, ways.size()> medians{};
  std::ranges::transform(round_trips, medians.begin(), [](const auto& all) { return quantiles(all).median; });
  std::string text = " |";
  for (const double median : medians)
    text += fmt::format(" {:>8} {:4.2f}", digits(median * 1e6), median / std::ranges::min(medians));
  return text;
}

void print(const Report& report) {
  fmt::print("Round trips, us, medians, and how many times as long as the shortest they are.\n\n{:8}", "");
  for (std::size_t i = 0; i < distances.size(); ++i)
    fmt::print(" | {:^55}", fmt::format("{}: {} samples", distances[i], report.samples[i]));
  const auto columns = fmt::format(" | {:>8}     ", fmt::join(ways, "      "));
  fmt::print("\n{:8}{}{}\n", "", columns, columns);
  for (const auto& [bytes, round_trips] : report.points)
    fmt::print("{:>8}{}{}\n", size_name(bytes), cells(round_trips[0]), cells(round_trips[1]));
}

void write_json(const Report& report, const std::string& file) {
  nlohmann::ordered_json json;
  const auto add = [&](std::size_t bytes, const char* way, std::size_t distance, const Samples& samples) {
    if (samples.empty()) return;
    const auto [p10, median, p90] = quantiles(samples);
    json.push_back({{"bytes", bytes}, {"way", way}, {"distance", distances[distance]}});
    json.back().update({{"samples", samples.size()}, {"p10", p10}, {"median", median}, {"p90", p90}});
  };
  for (std::size_t i = 0; i < distances.size(); ++i) {
    for (const auto& [bytes, round_trips] : report.points)
      for (std::size_t way = 0; way < ways.size(); ++way) add(bytes, ways[way], i, round_trips[i][way]);
  }
  bench::write_json(json, file);
}

void add_options(CLI::App& app, Settings& settings) {
  const auto add_size = [&](const char* flag, std::size_t& value, const char* help) {
    app.add_option(flag, value, help)
        ->type_name("BYTES")
        ->transform(CLI::AsSizeValue(false).description(""))
        ->check(CLI::Range(std::size_t{8}, std::size_t{1} << 30).description(""));
  };
  add_size("--min", settings.least, "Smallest message, such as 8 or 4KiB; default: 64");
  add_size("--max", settings.most, "Largest message; sizes are powers of two; default: 64MiB");
  add_size("--rooms", settings.ring, "All rooms together; default: as many as the library's");
  app.add_option("--budget", settings.budget, "Time for all measurements together; default: 60")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber.description(""));
  app.add_option("--json", settings.json, "Write the figures to this file")->type_name("FILE");
}

void run(const Settings& settings, int rank) {
  Pair pair(rank, settings.most, settings.ring);
  if (rank != 0) return pair.read();
  const Report report = measure(pair, settings);
  print(report);
  if (!settings.json.empty()) write_json(report, settings.json);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{description, "stores"};
  Settings settings;
  add_options(app, settings);
  return run_ranks(app, argc, argv, [&](int rank) { run(settings, rank); });
}
