// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "machine.hpp"
#include "operation.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace bench {

/// What the library's model of costs says of one way to perform an operation.
struct Modelled {
  std::string algorithm; ///< that the library selects, or "native"
  double seconds;        ///< of a call, by the costs that the library selects by
};

/// Nothing where the model has no say: on one node. `bytes` are a message's, which is dense; it is for after
/// MPI_Init, and the same at all ranks.
std::optional<Modelled> modelled(Operation operation, std::size_t bytes, bool native, const Machine& machine);

} // namespace bench
