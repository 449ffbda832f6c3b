// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

#include "collective/selection.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// That of an operation on `bytes` bytes among the ranks of a shadow.
inline Situation situation(const transport::Shadow& shadow, std::size_t bytes, bool across_nodes = false) {
  return {bytes, shadow.size(), shadow.window() != nullptr, across_nodes};
}

} // namespace helper::collective
