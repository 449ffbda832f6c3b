// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>

/// MPI's tool interface says of output arguments that a null pointer asks for nothing.
namespace helper::observe {

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

} // namespace helper::observe
