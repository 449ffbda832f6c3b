// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "jobs/record.hpp"

#include <functional>
#include <string>

namespace bench {

/// How to call something in a phase of the team of a size (0: outside).
using Phase = std::function<void(int team, const std::function<void()>& body)>;

/// The processes' side of a Job: connects to `socket`, and executes commands by `execute`, in the phase that
/// each asks for, until told to end. Sleeps in between. Called by one thread, after MPI_Init. Throws
/// std::runtime_error when the other side is gone.
void serve(const std::string& socket, const Phase& phase,
           const std::function<Answer(const Command&)>& execute);

} // namespace bench
