// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "jobs/job.hpp"

#include <memory>

namespace CLI {
class App;
}

namespace bench {

/// Another MPI on this node, to be compared with the library's MPI.
struct Peer {
  std::string name;
  std::unique_ptr<Job> job;
};

/// Adds an option to `app` that reads launchers of other MPIs. A launcher is a script whose arguments are the
/// number of processes and the arguments of the program. bench/run makes these scripts from the values of
/// `--mpi`. The settings of the MPI may follow after a comma; they are shown.
void add_peers(CLI::App& app, std::vector<std::string>& launchers);

/// Starts a job with each launcher, and first one of Open MPI with `open_mpi_worker`, which is "" if Open MPI
/// was not installed at build time. All programs get the arguments. Throws std::runtime_error like Job.
std::vector<Peer> start_peers(const std::string& open_mpi_worker, const std::vector<std::string>& launchers,
                              const std::vector<std::string>& arguments, int ranks);

/// Returns the name and version of each MPI, each after ", ".
std::string versions(const std::vector<Peer>& peers);

} // namespace bench
