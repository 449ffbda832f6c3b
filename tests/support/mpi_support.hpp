// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <string>

#include "support/seed.hpp"

// How a test with MPI was started (see helper_test in cmake/testing.cmake), and facts about the MPI.
namespace test_support {

/// Returns the team size of this run, from TEST_TEAM_SIZE. It is 0 in transparent mode, in which the test
/// must not make a team.
int team_size();

/// Returns the error class of a code.
inline int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/// Sets the error handler for functions that name no communicator. It is the handler of MPI_COMM_WORLD, and
/// since MPI 4 also of MPI_COMM_SELF.
inline void set_unnamed_errhandler(MPI_Errhandler handler) {
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) PMPI_Comm_set_errhandler(comm, handler);
}

/// Returns the name and version that MPI reports.
inline std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  return text.data();
}

/// Returns whether the tests run with Open MPI, of any version.
inline bool is_open_mpi() {
  static const bool is = library_version().starts_with("Open MPI");
  return is;
}

/// Returns whether the tests run with the given version of Open MPI, such as "5.0".
inline bool is_open_mpi(const std::string& version) {
  return library_version().starts_with("Open MPI v" + version);
}

/// Returns whether the tests run with the given version of MPICH, such as "4.2".
inline bool is_mpich(const std::string& version) {
  return library_version().starts_with("MPICH Version:      " + version);
}

/// Returns whether the tests run with MPICH 5.0. With that MPI
/// - a reduction with an invalid datatype ends the program instead of returning an error;
/// - a function returns MPI_SUCCESS after it has called an error handler of the program.
inline bool is_mpich_5_0() {
  static const bool is = is_mpich("5.0");
  return is;
}

} // namespace test_support
