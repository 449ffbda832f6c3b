// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "settings/settings.hpp"
#include "transport/rejected.hpp"

namespace helper::api {

/// Returns a hint of the info object, if it has it.
inline std::optional<std::string> hint(MPI_Info info, const char* key) {
  if (info == MPI_INFO_NULL) return std::nullopt;
  std::string value(MPI_MAX_INFO_VAL, '\0');
  int is_set = 0;
  PMPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value.data(), &is_set);
  return is_set != 0 ? std::optional<std::string>(value.c_str()) : std::nullopt;
}

/// Returns what `parse` makes of a hint, or `fallback` without one. Throws Rejected where `parse` throws
/// std::invalid_argument, which says what is accepted.
template <class Value>
Value hint(MPI_Info info, const char* key, Value fallback, Value (*parse)(std::string_view)) {
  const auto text = hint(info, key);
  if (!text) return fallback;
  try {
    return settings::parsed(key, *text, parse);
  } catch (const std::invalid_argument& malformed) {
    throw transport::Rejected(MPI_ERR_INFO_VALUE, malformed.what());
  }
}

} // namespace helper::api
