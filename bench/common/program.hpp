// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>

namespace CLI {
class App;
} // namespace CLI

namespace bench {

/// What the main function of a benchmark does: reads the command line into what has been bound to `app`, runs
/// `run`, and returns the program's exit status. An exception of `run` is shown after the program's name, and
/// is a failure. For a program that is run by itself.
int run_program(CLI::App& app, int argc, char** argv, const std::function<void()>& run);

/// The same for a program that mpiexec launches: initialises and finalises MPI, at level FUNNELED, and gives
/// `run` the rank. Only rank 0 shows help and errors of the command line; an exception of `run` aborts the
/// job.
int run_ranks(CLI::App& app, int argc, char** argv, const std::function<void(int rank)>& run);

} // namespace bench
