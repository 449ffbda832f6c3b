// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/creation/options.hpp"

#include <stdexcept>

namespace helper::groups::creation {

Options::Algorithm parse_algorithm(std::string_view text) {
  if (text == "direct") return Options::Algorithm::direct;
  if (text == "recursive") return Options::Algorithm::recursive;
  if (text == "multiway") return Options::Algorithm::multiway;
  throw std::invalid_argument("one of direct, recursive, multiway");
}

Options::Outsider parse_outsider(std::string_view text) {
  if (text == "null") return Options::Outsider::null;
  if (text == "error") return Options::Outsider::error;
  throw std::invalid_argument("null or error");
}

} // namespace helper::groups::creation
