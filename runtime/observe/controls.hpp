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

/// The control variables of MPI's tool interface: the library's settings as readable texts.
namespace helper::observe {

// In MPI's tool interface, a null pointer as output argument asks for nothing.
template <class Value>
void give(std::type_identity_t<Value> value, Value* where) noexcept {
  if (where != nullptr) *where = value;
}

/// Copies as much of the text as fits into `buffer`, of `*length` characters, with a terminating null
/// character. Stores the length that the whole text needs.
inline void give(std::string_view text, char* buffer, int* length) noexcept {
  if (length == nullptr) return;
  if (buffer != nullptr && *length > 0) {
    const std::size_t given = std::min(text.size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(buffer, text.data(), given);
    buffer[given] = '\0';
  }
  *length = static_cast<int>(text.size()) + 1;
}

/// In characters, with the terminating null character: as long as a path can be.
inline constexpr int longest_text = 4096;

/// Returns "mpi_helper_threads" for MPI_HELPER_THREADS.
std::string control_name(const settings::Variable& variable);
std::string control_description(const settings::Variable& variable);

/// Returns the index among the library's control variables.
std::optional<int> find_control(const char* name);

/// A handle is the address of the setting. MPI has no handle there, so none needs to be stored.
MPI_T_cvar_handle handle_of(const settings::Variable& variable) noexcept;

/// Returns the setting of a handle, or nullptr if the handle is MPI's.
const settings::Variable* control_of(MPI_T_cvar_handle handle) noexcept;

/// Writes the present value as text to a buffer of `longest_text` characters.
void read_control(const settings::Variable& variable, void* buffer);

} // namespace helper::observe
