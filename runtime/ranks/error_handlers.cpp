// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "ranks/error_handlers.hpp"

#include <mpi.h>

#include <utility>

namespace helper::ranks::error_handlers {

int end_call(int code) {
  Postponed error = std::exchange(postponed, {});
  if (error.call_handler == nullptr) return code;
  int shown = code != MPI_SUCCESS ? code : error.code;
  error.call_handler(error, &shown);
  return code != MPI_SUCCESS ? shown : code;
}

} // namespace helper::ranks::error_handlers
