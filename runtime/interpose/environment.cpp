// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The beginning and the end of MPI, and the error classes that the library adds to it.

#include <mpi.h>

#include <exception>
#include <string>

#include "api/errors.hpp"
#include "process/process.hpp"

namespace {

using namespace helper;

/// Starts the library after MPI was initialised with the result `code`.
int start_after(int code, const char* function) {
  if (code != MPI_SUCCESS) return code;
  try {
    process::start();
    return MPI_SUCCESS;
  } catch (const std::exception& error) {
    return api::report(MPI_COMM_WORLD, MPI_ERR_OTHER,
                       std::string(function) + ": MPI Helper Teams: " + error.what());
  }
}

/// Stops the library before MPI is finalised.
int stop_before_finalize() {
  const auto left_over = process::stop();
  if (left_over.empty()) return MPI_SUCCESS;
  std::string text = "MPI_Finalize: teams were not freed; call MPI_Helper_team_free in each member:";
  for (const std::string& team : left_over) text += " " + team + ";";
  text.pop_back();
  return api::report(MPI_COMM_WORLD, MPI_ERR_OTHER, text);
}

} // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  process::enter();
  return start_after(PMPI_Init(argc, argv), "MPI_Init");
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  process::enter();
  return start_after(PMPI_Init_thread(argc, argv, required, provided), "MPI_Init_thread");
}

int MPI_Finalize() {
  const int misuse = stop_before_finalize();
  const int code = PMPI_Finalize();
  return code != MPI_SUCCESS ? code : misuse;
}

int MPI_Error_class(int errorcode, int* errorclass) {
  return api::error_class(errorcode, errorclass);
}

} // extern "C"
