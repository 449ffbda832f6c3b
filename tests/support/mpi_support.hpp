// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <string_view>

#include "support/seed.hpp"

// What an MPI test asks of the way it was started, see helper_test in cmake/testing.cmake, and of MPI's
// codes.
namespace test_support {

/// The team size that this run is to use (TEST_TEAM_SIZE), at least 1; 0 in transparent mode, where the test
/// is to make no team.
int team_size();

/// Returns the error class of a code.
inline int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/// Whether the tests run with Open MPI, of any version.
inline bool is_open_mpi() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  return std::string_view(text.data()).starts_with("Open MPI");
}

} // namespace test_support
