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

namespace helper::api {

/// Runs `body`, which returns an MPI code, and turns what it throws into one, reported to the error handler
/// of MPI_COMM_WORLD: what all public functions have in common.
template <class Body>
int guarded(const char* function, const Body& body) noexcept {
  using team::Misuse;
  if (!process::running()) return MPI_ERR_OTHER;
  try {
    return body();
  } catch (const Misuse& misuse) {
    return report(MPI_COMM_WORLD, misuse.kind() == Misuse::Kind::argument ? MPI_ERR_ARG : MPI_ERR_OTHER,
                  misuse.what());
  } catch (const std::bad_alloc&) {
    return report(MPI_COMM_WORLD, MPI_ERR_NO_MEM, std::string(function) + ": out of memory");
  } catch (const std::exception& error) {
    return report(MPI_COMM_WORLD, MPI_ERR_OTHER, std::string(function) + ": " + error.what());
  }
}

} // namespace helper::api
