// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "jobs/job.hpp"
#include "types.hpp"

namespace {

using namespace bench;
using Clock = std::chrono::steady_clock;

constexpr int ranks = 2;

constexpr auto description =
    R"(One-way transfers of data, contiguous or not, from rank 0 to rank 1 on this machine: by the native MPI, by other MPIs,
and by helper teams, alternately on the same cores.

The time of a transfer is the time from MPI_Send until the receiver's empty answer has arrived. Before each transfer
both ranks write to their buffers. The table has medians; a ratio is the time of the native MPI divided by the time.
All results are checked before they are timed.)";

struct Settings {
  std::vector<std::string> types; ///< by name
  std::vector<std::size_t> sizes{64 * KiB, 512 * KiB, 4 * MiB, 16 * MiB};
  std::vector<int> teams{1, 2};
  std::vector<std::string> peers; ///< launchers of other MPIs
  double budget = 120;            ///< seconds for all measurements together
};

/// One way to transfer: a job, natively or in a phase of one of its teams.
struct Variant {
  std::string name;
  Job* job;
  int team; ///< 0: native
};

struct Measurement {
  std::int32_t family; ///< index of a type
  const char* type;
  std::size_t bytes;

  std::vector<Answer> execute(const Variant& variant, Command::Verb verb, int calls) const {
    return variant.job->execute({verb, variant.team, family, calls, bytes});
  }
  double seconds(const Variant& variant, int calls) const {
    return execute(variant, Command::Verb::time, calls).front().seconds;
  }

  std::vector<Quantiles> of(const std::vector<Variant>& variants, std::chrono::duration<double> time) const {
    constexpr int most_calls = 256;
    constexpr double least_seconds = 200e-6; // of a sample
    const auto start = Clock::now();
    for (const Variant& variant : variants)
      if (!std::ranges::all_of(execute(variant, Command::Verb::check, 1), &Answer::right))
        throw std::runtime_error(
            fmt::format("{}, {}: wrong result by {}", type, size_name(bytes), variant.name));
    int calls = 1;
    while (calls < most_calls && seconds(variants.front(), calls) < least_seconds) calls *= 2;
    return quantiles(take_alternately(
        variants.size(), 5, 100, [&](std::size_t i) { return seconds(variants[i], calls) / calls; },
        [&] { return Clock::now() - start < time; }));
  }
};

void run(const Settings& settings, Lines& lines) {
  std::vector<std::string> worker{WORKER_OF_TEAMS};
  for (const int team : settings.teams) worker.push_back(std::to_string(team));
  Job own({MPI_LAUNCHER, "-n", std::to_string(ranks)}, worker, ranks);
  const std::vector<Peer> peers = start_peers(OPEN_MPI_WORKER, settings.peers, {}, ranks);
  std::vector<Variant> variants{{MPI_NAME, &own, 0}};
  for (const Peer& peer : peers) variants.push_back({peer.name, peer.job.get(), 0});
  for (const int team : settings.teams) variants.push_back({fmt::format("team of {}", team), &own, team});

  fmt::print("{}{}\n", own.mpi(), versions(peers));
  std::vector<Measurement> all;
  for (std::int32_t family = 0; const TypeFamily& type : type_families()) {
    if (std::ranges::count(settings.types, type.name) != 0)
      for (const std::size_t bytes : settings.sizes) all.push_back({family, type.name, bytes});
    ++family;
  }
  auto remaining = static_cast<double>(all.size());
  const auto end = Clock::now() + std::chrono::duration<double>(settings.budget);
  Progress progress(all.size());
  for (const Measurement& measurement : all) {
    const auto& [family, type, bytes] = measurement;
    progress.begin(fmt::format("{} {}", type, size_name(bytes)));
    const auto seconds = measurement.of(variants, (end - Clock::now()) / remaining--);
    progress.clear();
    for (std::size_t i = 0; i < variants.size(); ++i)
      lines.add({{"operation", type},
                 {"bytes", bytes},
                 {"way", variants[i].name},
                 {"team_size", variants[i].team},
                 {"seconds", seconds[i]},
                 {"GB/s", static_cast<double>(bytes) / seconds[i].median / 1e9},
                 {"speedup", seconds[0].median / seconds[i].median}});
  }
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  for (const TypeFamily& family : type_families()) settings.types.emplace_back(family.name);
  Program program("transfers", description);
  program.add_choice("--types", settings.types, "Types of data", std::vector(settings.types));
  program.add_bytes("--sizes", settings.sizes, "Bytes of data", KiB);
  program.add_teams(settings.teams);
  add_peers(program, settings.peers);
  program.add_budget(settings.budget);
  return program.run(argc, argv, [&](Lines& lines) { run(settings, lines); });
}
