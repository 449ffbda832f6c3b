// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "jobs/record.hpp"

#include <string>
#include <sys/types.h>
#include <vector>

namespace bench {

/// A running MPI program whose processes sleep until they get a command to measure something. So jobs of
/// several MPIs use the same cores alternately. The program calls serve() (worker.hpp).
class Job {
public:
  /// Starts `launcher` (such as mpiexec -n 2) with `program` and its arguments, and waits until all `ranks`
  /// processes have connected. Throws std::runtime_error if they don't.
  Job(std::vector<std::string> launcher, std::vector<std::string> program, int ranks);

  /// Ends the processes and waits for them.
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Name and version of the job's MPI.
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

} // namespace bench
