// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <span>

#include "reduction/kernel.hpp"

namespace helper::reduction {

struct Table;

/// This is an instruction set that kernels are compiled for.
struct Target {
  const char* name;
  const Table* table;
};

/// Returns the targets that this processor can run, slowest first.
std::span<const Target> targets();

/// Does what find() of kernel.hpp does, for this target instead of the best.
std::optional<Kernel> find(MPI_Op op, MPI_Datatype type, const Target& target);

} // namespace helper::reduction
