// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

/// Finds what is installed beside the launcher.
namespace helper::launcher {

/// The library, built for one MPI.
struct Library {
  std::string path;
  std::string mpi;  ///< soname of the MPI library that it is linked to
  std::string info; ///< path of the program that `mpi_helper info` runs; empty if it is not there
};

/// Returns the libraries that are installed: that of this build, then those for other MPIs.
std::vector<Library> installed_libraries();

/// Returns for a person for which MPIs there is a library.
std::string describe(const std::vector<Library>& libraries);

} // namespace helper::launcher
