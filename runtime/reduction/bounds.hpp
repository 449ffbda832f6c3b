// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace helper::reduction {

/// The bounds of elements of a datatype in memory. User-defined functions may access whole elements, so both
/// the type's bounds and the bounds of its data count.
struct Bounds {
  static Bounds of(MPI_Datatype type) {
    MPI_Aint lower_bound = 0;
    MPI_Aint true_lower_bound = 0;
    MPI_Aint extent = 0;
    MPI_Aint true_extent = 0;
    PMPI_Type_get_extent(type, &lower_bound, &extent);
    PMPI_Type_get_true_extent(type, &true_lower_bound, &true_extent);
    const MPI_Aint lowest = std::min(lower_bound, true_lower_bound);
    return {extent, lowest, std::max(lower_bound + extent, true_lower_bound + true_extent) - lowest};
  }

  /// Returns the bounds of `count` elements together. `count` is at least 1.
  Bounds repeated(std::size_t count) const noexcept {
    const MPI_Aint last = static_cast<MPI_Aint>(count - 1) * extent; // offset of the last element
    return {extent, lowest + std::min<MPI_Aint>(last, 0), span + std::abs(last)};
  }

  /// Returns whether elements do not overlap, and follow one another upwards without gaps.
  bool are_apart() const noexcept { return extent > 0 && span == extent; }

  MPI_Aint extent = 0; ///< from one element's address to the next
  MPI_Aint lowest = 0; ///< offset of an element's first byte from its address
  MPI_Aint span = 0;   ///< bytes from an element's first byte to its last, inclusive
};

} // namespace helper::reduction
