// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>

#include "ranks/mpi_error.hpp"

namespace helper::ranks {

namespace {

// It orders nothing, and is written in MPI_Init, before which there is no such error.
constinit std::atomic<Reporting> found_reporting{Reporting::to_world};

bool is_mpich_4_0(std::string_view library) {
  constexpr std::string_view begin = "MPICH Version:";
  if (!library.starts_with(begin)) return false;
  library.remove_prefix(std::min(library.find_first_not_of(" \t", begin.size()), library.size()));
  return library.starts_with("4.0");
}

} // namespace

Reporting reporting() noexcept {
  return found_reporting.load(std::memory_order_relaxed);
}

void find_reporting() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  const std::string_view library(text.data());
  int version = 0;
  int subversion = 0;
  PMPI_Get_version(&version, &subversion);
  Reporting found = Reporting::by_request_or_self;
  if (library.starts_with("Open MPI"))
    found = Reporting::by_request;
  else if (version < 4 || is_mpich_4_0(library))
    found = Reporting::to_world;
  found_reporting.store(found, std::memory_order_relaxed);
}

MPI_Comm unnamed_comm() noexcept {
  if (reporting() != Reporting::by_request_or_self || !native::are_predefined()) return MPI_COMM_WORLD;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(MPI_COMM_SELF, &handler);
  const bool is_set = handler != MPI_ERRORS_ARE_FATAL;
  PMPI_Errhandler_free(&handler);
  return is_set ? MPI_COMM_SELF : MPI_COMM_WORLD;
}

} // namespace helper::ranks
