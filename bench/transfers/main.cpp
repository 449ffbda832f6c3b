// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/program.hpp"
#include "common/progress.hpp"
#include "common/text.hpp"
#include "jobs/job.hpp"
#include "jobs/peers.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "types.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace {

using namespace bench;

constexpr int ranks = 2;

/// One way to transfer: by a job, in a phase of a team of it or natively.
struct Variant {
  std::string name;
  Job* job;
  int team; ///< 0: native
};

/// The indices of the types that the user asked for.
std::vector<std::int32_t> chosen(const Settings& settings) {
  std::vector<std::int32_t> indices;
  for (std::size_t i = 0; i < type_families().size(); ++i)
    if (settings.types.empty() || std::ranges::count(settings.types, type_families()[i].name) != 0)
      indices.push_back(static_cast<std::int32_t>(i));
  return indices;
}

class Measurement {
public:
  Measurement(std::int32_t family, std::size_t bytes) : family_(family), bytes_(bytes) {}

  Point of(const std::vector<Variant>& variants, std::chrono::duration<double> time) const {
    const auto start = std::chrono::steady_clock::now();
    for (const Variant& variant : variants) verify(variant);
    const int calls = calls_per_sample(variants.front());
    std::vector<std::vector<double>> samples(variants.size());
    int repetitions = 0;
    while (repetitions < least_samples ||
           (repetitions < most_samples && std::chrono::steady_clock::now() - start < time)) {
      for (std::size_t i = 0; i < variants.size(); ++i)
        samples[i].push_back(seconds(variants[i], calls) / calls);
      ++repetitions;
    }
    Point point{family().name, bytes_, calls, {}, repetitions};
    for (auto& of_variant : samples) point.seconds.push_back(quantiles(std::move(of_variant)));
    return point;
  }

private:
  static constexpr int least_samples = 5, most_samples = 100, most_calls = 256;
  static constexpr double least_seconds = 200e-6; ///< of a sample

  const TypeFamily& family() const { return type_families()[static_cast<std::size_t>(family_)]; }

  std::vector<Answer> execute(const Variant& variant, Command::Verb verb, int calls) const {
    return variant.job->execute({verb, variant.team, family_, calls, bytes_});
  }

  void verify(const Variant& variant) const {
    for (const Answer& answer : execute(variant, Command::Verb::check, 1))
      if (!answer.right)
        throw std::runtime_error(
            fmt::format("{} of {}: wrong result by {}", family().name, size_name(bytes_), variant.name));
  }

  double seconds(const Variant& variant, int calls) const {
    return execute(variant, Command::Verb::time, calls).front().seconds;
  }

  int calls_per_sample(const Variant& variant) const {
    int calls = 1;
    while (calls < most_calls && seconds(variant, calls) < least_seconds) calls *= 2;
    return calls;
  }

  std::int32_t family_;
  std::size_t bytes_;
};

void run(const Settings& settings) {
  std::vector<std::string> worker{WORKER_OF_TEAMS};
  for (const int team : settings.teams) worker.push_back(std::to_string(team));
  Job own({MPI_LAUNCHER, "-n", std::to_string(ranks)}, worker, ranks);
  const std::vector<Peer> peers = start_peers(OPEN_MPI_WORKER, settings.peers, {}, ranks);

  std::vector<Variant> variants{{MPI_NAME, &own, 0}};
  for (const Peer& peer : peers) variants.push_back({peer.name, peer.job.get(), 0});
  for (const int team : settings.teams) variants.push_back({fmt::format("team of {}", team), &own, team});
  fmt::print("{}{}\nMedian time per message; ratio: time of native {} / time\n", own.mpi(), versions(peers),
             MPI_NAME);

  Report report;
  for (const Variant& variant : variants) report.variants.push_back(variant.name);
  print_head(report);
  const auto families = chosen(settings);
  auto remaining = families.size() * settings.sizes.size();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(settings.budget);
  Progress progress(settings.progress, remaining);
  for (const std::int32_t family : families) {
    for (const std::size_t bytes : settings.sizes) {
      progress.begin(
          fmt::format("{}: {}", type_families()[static_cast<std::size_t>(family)].name, size_name(bytes)));
      const std::chrono::duration<double> left = end - std::chrono::steady_clock::now();
      report.points.push_back(
          Measurement(family, bytes).of(variants, left / static_cast<double>(remaining--)));
      progress.clear();
      print(report.points.back());
    }
  }
  if (!settings.json.empty()) write_json(report, settings.json);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app;
  Settings settings;
  add_options(app, settings);
  return run_program(app, argc, argv, [&] { run(settings); });
}
