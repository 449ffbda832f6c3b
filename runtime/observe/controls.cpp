// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "observe/controls.hpp"

#include <algorithm>
#include <cctype>

#include "process/process.hpp"

namespace helper::observe {

std::string control_name(const settings::Variable& variable) {
  std::string name = variable.name;
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return name;
}

std::string control_description(const settings::Variable& variable) {
  return std::string(variable.name) + ": " + variable.meaning + " (" + variable.unit + ")";
}

std::optional<int> find_control(const char* name) {
  if (name == nullptr) return std::nullopt;
  const auto all = settings::variables();
  const auto found = std::ranges::find(all, name, control_name) - all.begin();
  return found != std::ssize(all) ? std::optional(static_cast<int>(found)) : std::nullopt;
}

MPI_T_cvar_handle handle_of(const settings::Variable& variable) noexcept {
  return reinterpret_cast<MPI_T_cvar_handle>(const_cast<settings::Variable*>(&variable));
}

const settings::Variable* control_of(MPI_T_cvar_handle handle) noexcept {
  const auto all = settings::variables();
  const auto found = std::ranges::find(all, handle, handle_of);
  return found != all.end() ? &*found : nullptr;
}

void read_control(const settings::Variable& variable, void* buffer) {
  int length = longest_text;
  give(process::setting(variable), static_cast<char*>(buffer), &length);
}

} // namespace helper::observe
