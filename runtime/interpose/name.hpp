// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace helper::interpose {

template <auto Function>
constexpr std::string_view find_name() {
  std::string_view text = __PRETTY_FUNCTION__; // … Function = PMPI_Ibarrier; …
  text.remove_prefix(text.find("PMPI_") + 1);
  return text.substr(0, text.find_first_of(";]"));
}

template <auto Function>
inline constexpr auto name_storage = [] {
  std::array<char, find_name<Function>().size() + 1> name{}; // ends with a null character
  std::ranges::copy(find_name<Function>(), name.begin());
  return name;
}();

/// The name of an MPI function, given as PMPI_X, for reports and records.
template <auto Function>
inline constexpr const char* name_of = name_storage<Function>.data();

} // namespace helper::interpose
