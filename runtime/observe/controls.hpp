// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "settings/settings.hpp"

/// The control variables are the settings, as texts that can be read.
namespace helper::observe {

// MPI's tool interface says of output arguments that a null pointer asks for nothing.
template <class Value>
void give(std::type_identity_t<Value> value, Value* where) noexcept {
  if (where != nullptr) *where = value;
}

/// Gives as much of the text as `buffer`, of `*length` characters, takes with the null character that ends
/// it, and the length that all of it needs.
inline void give(std::string_view text, char* buffer, int* length) noexcept {
  if (length == nullptr) return;
  if (buffer != nullptr && *length > 0) {
    const std::size_t given = std::min(text.size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(buffer, text.data(), given);
    buffer[given] = '\0';
  }
  *length = static_cast<int>(text.size()) + 1;
}

/// In characters, with the null character at the end: as long as a path can be.
inline constexpr int longest_text = 4096;

/// Returns "mpi_helper_threads" for MPI_HELPER_THREADS.
std::string control_name(const settings::Variable& variable);
std::string control_description(const settings::Variable& variable);

/// Returns the index among the library's control variables.
std::optional<int> find_control(const char* name);

/// A handle is the address of the setting, at which MPI has nothing; so no handle needs to be kept.
MPI_T_cvar_handle handle_of(const settings::Variable& variable) noexcept;

/// Returns the setting of a handle, or nullptr if it is MPI's.
const settings::Variable* control_of(MPI_T_cvar_handle handle) noexcept;

/// Writes the text that is in force to a buffer of `longest_text` characters.
void read_control(const settings::Variable& variable, void* buffer);

} // namespace helper::observe
