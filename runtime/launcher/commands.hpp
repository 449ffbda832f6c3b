// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <map>
#include <string>
#include <vector>

/// The subcommands of mpi_helper. Each returns the exit status.
namespace helper::launcher {

/// Executes the program in this process, with these settings in the environment and the fitting library
/// preloaded. Returns only if that fails.
int run(const std::map<std::string, std::string>& settings, const std::vector<std::string>& command);

/// Executes the program that prints the library's findings, at this thread level. Returns only on failure.
int info(const std::string& thread_level);

/// In the first process, writes the report to the file `path`. The report contains the output of the program
/// of `info`, in which all processes take part.
int report(const std::string& path);

/// Returns the command that `info` executes; empty if it is not installed.
std::vector<std::string> info_command(const std::string& thread_level);

} // namespace helper::launcher
