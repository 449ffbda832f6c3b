// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <exception>
#include <new>
#include <string>

#include "api/errors.hpp"
#include "process/process.hpp"
#include "team/misuse.hpp"
#include "transport/mpi_error.hpp"

namespace helper::api {

/// Reports without a text, which would take memory.
inline int report_no_memory(MPI_Comm comm) {
  transport::report_to(comm, MPI_ERR_NO_MEM);
  return MPI_ERR_NO_MEM;
}

/// Runs `body`, which returns an MPI code, and turns what it throws into one, reported to the error handler
/// of MPI_COMM_WORLD: what all public functions have in common. An error handler that throws does so to the
/// caller.
template <class Body>
int guarded(const char* function, const Body& body) {
  using team::Misuse;
  if (!process::running()) return MPI_ERR_OTHER;
  try {
    return body();
  } catch (const Misuse& misuse) {
    return report(MPI_COMM_WORLD, misuse.kind() == Misuse::Kind::argument ? MPI_ERR_ARG : MPI_ERR_OTHER,
                  misuse.what());
  } catch (const std::bad_alloc&) {
    return report_no_memory(MPI_COMM_WORLD);
  } catch (const std::exception& error) {
    return report(MPI_COMM_WORLD, MPI_ERR_OTHER, std::string(function) + ": " + error.what());
  }
}

/// Does the same for a function on `comm`, whose error handler is told of arguments that are not accepted, of
/// a lack of memory, and of errors of MPI's that no handler has seen; that of MPI_COMM_WORLD if it is
/// MPI_COMM_NULL.
template <class Body>
int guarded(const char* function, MPI_Comm comm, const Body& body) {
  if (comm == MPI_COMM_NULL) comm = MPI_COMM_WORLD;
  return guarded(function, [&] {
    try {
      body();
      return MPI_SUCCESS;
    } catch (const Rejected& rejected) {
      return report(comm, rejected.error_class(), std::string(function) + ": " + rejected.what());
    } catch (const transport::MpiError& error) {
      if (error.comm() != MPI_COMM_NULL) transport::report_to(comm, error.code());
      return error.code();
    } catch (const std::bad_alloc&) {
      return report_no_memory(comm);
    }
  });
}

} // namespace helper::api
