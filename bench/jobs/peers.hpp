// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "jobs/job.hpp"

#include <memory>

namespace CLI {
class App;
}

namespace bench {

/// Another MPI on this node, which is compared with the library's MPI.
struct Peer {
  std::string name;
  std::unique_ptr<Job> job;
};

/// Has `app` read the launchers of such MPIs: scripts that are given the number of processes and arguments of
/// the program that they launch. bench/run makes them of what `--mpi` names. Behind a comma there may be what
/// the MPI was told by settings, which is shown.
void add_peers(CLI::App& app, std::vector<std::string>& launchers);

/// Starts a job by each launcher, and before these one of Open MPI: `open_mpi_worker`, which is "" if Open
/// MPI was not there when it was to be built. All programs are given the arguments. Throws std::runtime_error
/// as Job does.
std::vector<Peer> start_peers(const std::string& open_mpi_worker, const std::vector<std::string>& launchers,
                              const std::vector<std::string>& arguments, int ranks);

/// Returns name and version of each, each after ", ".
std::string versions(const std::vector<Peer>& peers);

} // namespace bench
