// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <string>

#include "ranks/mpi_error.hpp"

/// Turns the errors of the library into MPI errors.
namespace helper::api {

/// Gives an error of class `error_class`, one of the standard's, with `text` as its string, to the error
/// handler of `comm`, and returns its code. Any thread may call it, at any time; where MPI is not running
/// there is no handler, and the class itself is returned.
int report(MPI_Comm comm, int error_class, const std::string& text);

/// Returns the code alone, once MPI is initialised.
int code(int error_class, const std::string& text);

using ranks::Rejected;

/// Stores the standard's error class of a code, which for codes made by report() is the class given there.
int error_class(int code, int* error_class);

} // namespace helper::api
