// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

/// Finds the libraries that are installed with the launcher.
namespace helper::launcher {

/// The library, built for one MPI.
struct Library {
  std::string path;
  std::string mpi;  ///< soname of the MPI library that it is linked to
  std::string info; ///< path of the program that `mpi_helper info` executes; empty if not installed
};

/// Returns the installed libraries: first this build's, then those for other MPIs.
std::vector<Library> installed_libraries();

/// Returns a text that names the MPIs for which a library is installed.
std::string describe(const std::vector<Library>& libraries);

} // namespace helper::launcher
