// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "jobs/job.hpp"

#include <memory>

namespace bench {

/// Starts a job of Open MPI on this node: `program` with its arguments, where `program.front()` is "" if Open
/// MPI was not there when it was to be built; then nothing. Throws std::runtime_error as Job does.
std::unique_ptr<Job> start_open_mpi(std::vector<std::string> program, int ranks);

} // namespace bench
