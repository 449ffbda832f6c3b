// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/ranks.hpp"
#include "jobs/compare.hpp"
#include "transfer.hpp"

namespace {

using namespace bench;

constexpr auto description =
    R"(One-way transfers of data, contiguous or not, from rank 0 to rank 1 on this machine: by the native MPI, by other MPIs,
and by helper teams, alternately on the same cores.

The time of a transfer is the time from MPI_Send until the receiver's empty answer has arrived. Before each transfer
both ranks write to their buffers. The table has medians; a ratio is the time of the native MPI divided by the time.
All results are checked before they are timed. Run it with mpiexec -n 2.)";

struct Settings {
  std::vector<std::string> types; ///< by name
  std::vector<std::size_t> sizes{64 * KiB, 512 * KiB, 4 * MiB, 16 * MiB};
  std::vector<int> teams{1, 2};
  std::vector<std::string> peers; ///< launchers of other MPIs
  double budget = 120;            ///< seconds for all measurements together
};

void run(const Settings& settings, int rank, Lines& lines) {
  if (rank_count() != 2) throw std::runtime_error("there must be two ranks");
  std::vector<Peer> peers;
  if (rank == 0) {
    peers = start_peers(OPEN_MPI_WORKER, settings.peers, {}, 2);
    fmt::print("{}{}\n", mpi_version(), versions(peers));
  }
  std::vector<Variant> variants = native_variants(MPI_NAME, peers);
  for (const int team : settings.teams) variants.push_back({fmt::format("team of {}", team), team});
  Crew crew(settings.teams);
  Stage stage{crew, peers, variants, 200e-6, 256};

  Progress progress(settings.types.size() * settings.sizes.size(), settings.budget, Progress::is_terminal(),
                    rank == 0);
  crew.run([&] {
    for (const std::string& name : settings.types) {
      const TypeFamily& family = type_named(name);
      const auto index = static_cast<int>(&family - type_families().data());
      for (const std::size_t bytes : settings.sizes) {
        const auto time = progress.begin(fmt::format("{} {}", name, size_name(bytes)));
        Transfer transfer(family, bytes);
        const Json compared = compare({transfer, name, index, bytes}, stage, time);
        progress.clear();
        for (const Json& line : compared) lines.add(line);
      }
    }
  });
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
  return program.run_ranks(argc, argv, [&](int rank, Lines& lines) { run(settings, rank, lines); });
}
