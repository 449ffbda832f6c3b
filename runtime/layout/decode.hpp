// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "layout/form.hpp"

#include <mpi.h>

#include <stdexcept>

namespace helper::layout {

struct Undecodable : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Lower bound and extent.
struct Bounds {
  MPI_Count lower;
  MPI_Count extent;
};

/// These call MPI. They throw Undecodable for a type that MPI rejects; `decode` also for one that is not
/// supported.
Placed decode(MPI_Datatype type);
Bounds bounds(MPI_Datatype type);
bool predefined(MPI_Datatype type);

} // namespace helper::layout
