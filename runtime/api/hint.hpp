// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <string>

namespace helper::api {

/// A hint of the info object, or `fallback`.
inline std::string hint(MPI_Info info, const char* key, const std::string& fallback) {
  if (info == MPI_INFO_NULL) return fallback;
  std::string value(MPI_MAX_INFO_VAL, '\0');
  int is_set = 0;
  PMPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value.data(), &is_set);
  return is_set != 0 ? value.c_str() : fallback;
}

} // namespace helper::api
