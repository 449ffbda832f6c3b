// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "jobs/record.hpp"

#include <string>
#include <sys/types.h>
#include <vector>

namespace bench {

/// A running MPI program whose processes sleep until they are told to measure something, so that the jobs of
/// several MPIs take turns on the same cores. The program is one that calls serve() (worker.hpp).
class Job {
public:
  /// Starts `launcher` (such as mpiexec -n 2) with `program` and its arguments, and waits until all `ranks`
  /// processes are there. Throws std::runtime_error if they don't come.
  Job(std::vector<std::string> launcher, std::vector<std::string> program, int ranks);

  /// Ends the processes and waits for them.
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Name and version of the job's MPI.
  const std::string& mpi() const { return mpi_; }

  /// Has all processes execute the command; their answers, by rank. Throws std::runtime_error if a process
  /// ended.
  std::vector<Answer> execute(const Command& command);

private:
  void accept_all(int listener, int ranks);

  pid_t launcher_;
  std::vector<int> processes_; ///< sockets, by rank
  std::string mpi_;
};

} // namespace bench
