// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "jobs/subject.hpp"

#include <cstddef>
#include <functional>
#include <memory>

namespace bench {

/// How to call something in a phase of the team of a size (0: outside).
using Phase = std::function<void(int team, const std::function<void()>& body)>;

/// Makes what the commands of an operation and a size are about.
using MakeSubject = std::function<std::unique_ptr<Subject>(int operation, std::size_t bytes)>;

/// The main function of the processes of a Job, from MPI_Init to MPI_Finalize: executes commands in the
/// phases that they ask for, and sleeps in between. The arguments are the sizes of the teams, and the job's
/// socket.
int work(int argc, char** argv, const MakeSubject& make);

} // namespace bench
