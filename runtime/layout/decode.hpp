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

/// The least number of bytes, at least `least`, after which a basic element ends in the packed stream of any
/// number of elements; 0 if there is none, or one before it may arrive with other bytes than were sent.
/// Throws Undecodable.
std::size_t head(MPI_Datatype type, std::size_t least);

} // namespace helper::layout
