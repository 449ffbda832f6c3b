// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

#include "layout/layout.hpp"

namespace helper::message {

/// What of a datatype decides how messages of it are sent.
struct Profile {
  std::shared_ptr<const layout::Layout> layout; ///< null: it has none
  std::size_t announcement = 0;                 ///< length of announcements of it; 0: it cannot be announced

  /// That of a type that native MPI accepts, found out once and kept with it. The reference is good until the
  /// thread's next call. For the thread that called MPI.
  static const Profile& of(MPI_Datatype type);
};

/// PMPI_Type_free, of a datatype that the library may know something of.
int free_type(MPI_Datatype* type);

/// As transport::valid_data(), which need not be asked of a datatype whose profile is the thread's last.
bool valid_data(const void* buffer, MPI_Count count, MPI_Datatype type);

} // namespace helper::message
