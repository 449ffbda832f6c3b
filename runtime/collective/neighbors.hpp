// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace helper::collective {

/// The neighbours of a rank in the process topology of a communicator; MPI_PROC_NULL may be among them.
struct Neighbors {
  /// Returns whether the communicator has a topology. Local. Throws MpiError.
  static bool are_defined(MPI_Comm comm);

  /// Returns the neighbours in the communicator's topology. Local. Throws MpiError and std::bad_alloc.
  static const Neighbors& of(MPI_Comm comm);

  explicit Neighbors(MPI_Comm comm);

  std::vector<int> sources; ///< in the order of their blocks
  std::vector<int> destinations;
  /// The orders of receives, as indices of sources. `vector_order` is for MPI_Neighbor_alltoallv and
  /// alltoallw. They matter only if a rank is a source several times: quirk order_of_equal_neighbours.
  std::vector<std::size_t> order;
  std::vector<std::size_t> vector_order;
};

} // namespace helper::collective
