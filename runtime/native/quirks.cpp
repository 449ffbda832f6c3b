// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "native/quirks.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace helper::native::quirks {

namespace {

/// Returns whether MPI's version string begins with `name`, followed by blanks and `version`.
bool is(std::string_view name, std::string_view version = "") noexcept {
  static const auto text = [] {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> read{};
    int length = 0;
    PMPI_Get_library_version(read.data(), &length);
    return read;
  }();
  std::string_view library(text.data());
  if (!library.starts_with(name)) return false;
  library.remove_prefix(name.size());
  library.remove_prefix(std::min(library.find_first_not_of(" \t"), library.size()));
  return library.starts_with(version);
}

} // namespace

bool errors_to_world() noexcept {
  int version = 0;
  int subversion = 0;
  PMPI_Get_version(&version, &subversion);
  return !errors_by_request() && (version < 4 || is("MPICH Version:", "4.0"));
}

bool errors_by_request() noexcept {
  return is("Open MPI");
}

bool tells_nothing_of_progress() noexcept {
  return is("Open MPI", "v4");
}

bool partitions_wait_for_last() noexcept {
  return is("MPICH Version:", "4.0");
}

bool one_sided_by_element() noexcept {
  return is("Open MPI");
}

bool counts_past_end() noexcept {
  return is("Open MPI");
}

bool loses_fortran_handles() noexcept {
  return is("Open MPI") && dlsym(RTLD_DEFAULT, "mpi_test_") != nullptr;
}

} // namespace helper::native::quirks
