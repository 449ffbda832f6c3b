// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <mutex>

namespace helper::transport {

/// Whether MPI_COMM_WORLD and MPI_COMM_SELF can be used: between MPI_Init and MPI_Finalize, and not in a
/// program that has sessions alone.
inline bool are_predefined() noexcept {
  int initialised = 0;
  int finalised = 0;
  PMPI_Initialized(&initialised);
  PMPI_Finalized(&finalised);
  return initialised != 0 && finalised == 0;
}

/// What the library attaches to communicators. MPI forgets it when it ends, and may be initialised again: it
/// is made at the first use, and anew after free(). Any thread.
class Keyval {
public:
  using Drop = MPI_Comm_delete_attr_function;

  /// `drop` is called for what is attached when its communicator is freed; duplicates get nothing.
  constexpr explicit Keyval(Drop* drop) noexcept : drop_(drop) {}

  int value() {
    const std::lock_guard lock(mutex_);
    if (value_ == MPI_KEYVAL_INVALID) PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_, &value_, nullptr);
    return value_;
  }

  /// Deletes what is attached to the communicators that no program frees. Before MPI_Finalize.
  void leave_predefined() {
    const int made = value_if_made();
    if (made == MPI_KEYVAL_INVALID || !are_predefined()) return;
    for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
      void* attached = nullptr;
      int is_set = 0;
      PMPI_Comm_get_attr(comm, made, static_cast<void*>(&attached), &is_set);
      if (is_set != 0) PMPI_Comm_delete_attr(comm, made); // without one it is an error with Open MPI
    }
  }

  /// The same, and gives the key back. Before MPI ends.
  void free() {
    leave_predefined();
    const std::lock_guard lock(mutex_);
    if (value_ != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&value_);
  }

private:
  int value_if_made() {
    const std::lock_guard lock(mutex_);
    return value_;
  }

  Drop* const drop_;
  std::mutex mutex_; // guards what follows, and is not held where MPI calls `drop`
  int value_ = MPI_KEYVAL_INVALID;
};

} // namespace helper::transport
