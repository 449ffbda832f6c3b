// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "jobs/open_mpi.hpp"

#include <cstdlib>
#include <unistd.h>

namespace bench {

std::unique_ptr<Job> start_open_mpi(std::vector<std::string> program, int ranks) {
  if (program.front().empty()) return nullptr;
  std::vector<std::string> launcher{OPEN_MPI_LAUNCHER, "--oversubscribe", "-n", std::to_string(ranks)};
  if (geteuid() == 0) launcher.insert(launcher.begin() + 1, "--allow-run-as-root");
  return std::make_unique<Job>(std::move(launcher), std::move(program), ranks);
}

} // namespace bench
