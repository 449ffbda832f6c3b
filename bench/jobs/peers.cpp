// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "jobs/peers.hpp"

#include <CLI/CLI.hpp>

namespace bench {

void add_peers(CLI::App& app, std::vector<std::string>& launchers) {
  app.add_option("--peer", launchers, "Launcher of another MPI to compare with, as bench/run --mpi makes it")
      ->type_name("SCRIPT[,SETTINGS]")
      ->take_all();
}

std::vector<Peer> start_peers(const std::string& open_mpi_worker, const std::vector<std::string>& launchers,
                              const std::vector<std::string>& arguments, int ranks) {
  std::vector<Peer> peers;
  if (!open_mpi_worker.empty()) {
    std::vector<std::string> launcher{OPEN_MPI_LAUNCHER, "--oversubscribe", "-n", std::to_string(ranks)};
    if (geteuid() == 0) launcher.insert(launcher.begin() + 1, "--allow-run-as-root");
    launcher.push_back(open_mpi_worker);
    peers.push_back({"Open MPI", std::make_unique<Job>(std::move(launcher), arguments, ranks)});
  }
  for (const std::string& launcher : launchers) {
    const std::string script = launcher.substr(0, launcher.find(','));
    auto job =
        std::make_unique<Job>(std::vector<std::string>{script, std::to_string(ranks)}, arguments, ranks);
    std::string name = job->mpi() + launcher.substr(script.size());
    peers.push_back({std::move(name), std::move(job)});
  }
  return peers;
}

std::string versions(const std::vector<Peer>& peers) {
  std::string text;
  for (const Peer& peer : peers) text += ", " + peer.job->mpi();
  return text;
}

} // namespace bench
