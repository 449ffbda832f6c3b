// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <array>
#include <atomic>
#include <string_view>

#include "transport/mpi_error.hpp"

namespace helper::transport {

namespace {

// It orders nothing, and is written in MPI_Init, before which there is no such error.
constinit std::atomic<Reporting> found_reporting{Reporting::to_world};

MPI_Comm heard_on; // of the thread in MPI_Init

void hear(MPI_Comm* comm, int*, ...) {
  heard_on = *comm;
}

/// Returns which of MPI_COMM_WORLD and MPI_COMM_SELF hears of a wrong argument of a function that names none.
MPI_Comm find_unnamed() {
  const std::array comms{MPI_COMM_WORLD, MPI_COMM_SELF};
  std::array<MPI_Errhandler, comms.size()> before{};
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_create_errhandler(hear, &handler);
  for (std::size_t i = 0; i < comms.size(); ++i) {
    PMPI_Comm_get_errhandler(comms[i], &before[i]);
    PMPI_Comm_set_errhandler(comms[i], handler);
  }
  heard_on = MPI_COMM_WORLD; // where MPI does not look at arguments
  int flag = 0;
  PMPI_Testall(-1, nullptr, &flag, MPI_STATUSES_IGNORE);
  for (std::size_t i = 0; i < comms.size(); ++i) {
    PMPI_Comm_set_errhandler(comms[i], before[i]);
    PMPI_Errhandler_free(&before[i]);
  }
  PMPI_Errhandler_free(&handler);
  return heard_on;
}

bool is_open_mpi() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  return std::string_view(text.data()).starts_with("Open MPI");
}

} // namespace

Reporting reporting() noexcept {
  return found_reporting.load(std::memory_order_relaxed);
}

void find_reporting() {
  Reporting found = Reporting::by_request_or_self;
  // By the standard ABI Open MPI 6 tells the handler of MPI_COMM_WORLD of a communicator that is neither.
  if (find_unnamed() != MPI_COMM_SELF) found = is_open_mpi() ? Reporting::by_request : Reporting::to_world;
  found_reporting.store(found, std::memory_order_relaxed);
}

} // namespace helper::transport
