// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/bench.hpp"
#include "jobs/record.hpp"

#include <sys/types.h>

namespace bench {

/// A running MPI program whose processes sleep until they get a command to measure something. So jobs of
/// several MPIs use the same cores alternately. The program calls serve() (worker.hpp).
class Job {
public:
  /// Starts `launcher` (such as mpiexec -n 2) with `program` and its arguments, and waits until all `ranks`
  /// processes have connected. Throws std::runtime_error if they don't.
  Job(std::vector<std::string> launcher, const std::vector<std::string>& program, int ranks);

  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  const std::string& mpi() const { return mpi_; }

  /// All processes execute the command. Returns their answers, by rank. Throws std::runtime_error if a
  /// process has ended.
  std::vector<Answer> execute(const Command& command);

private:
  void accept_all(int listener, int ranks);

  pid_t launcher_;
  std::vector<int> processes_; ///< sockets, by rank
  std::string mpi_;
};

struct Peer {
  std::string name;
  std::unique_ptr<Job> job;
};

/// Adds an option to `program` that reads launchers of other MPIs. A launcher is a script whose arguments are
/// the number of processes and the arguments of the program. bench/run makes these scripts from the values of
/// `--mpi`. The settings of the MPI may follow after a comma; they are shown.
void add_peers(Program& program, std::vector<std::string>& launchers);

/// Starts a job with each launcher, and first one of Open MPI with `open_mpi_worker`, which is "" if Open MPI
/// was not installed at build time. All programs get the arguments. Throws std::runtime_error like Job.
std::vector<Peer> start_peers(const std::string& open_mpi_worker, const std::vector<std::string>& launchers,
                              const std::vector<std::string>& arguments, int ranks);

/// Returns the name and version of each MPI, each after ", ".
std::string versions(const std::vector<Peer>& peers);

} // namespace bench
