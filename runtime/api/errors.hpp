// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <string>

#include "ranks/mpi_error.hpp"

/// Turns the errors of the library into MPI errors.
namespace helper::api {

/// Calls the error handler of `comm` with an error code of this standard class and text. Returns the code. If
/// MPI is not running, calls no handler and returns the class. Any thread may call it, at any time.
int report(MPI_Comm comm, int error_class, const std::string& text);

/// Returns an error code of this standard class and text, and calls no handler. MPI must be initialised.
int code(int error_class, const std::string& text);

using ranks::Rejected;

/// Stores the standard error class of `code`; for a code of report(), the class given to report().
int error_class(int code, int* error_class);

} // namespace helper::api
