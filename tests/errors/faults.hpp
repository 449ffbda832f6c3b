// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <string_view>

// Injects faults: this program defines the PMPI functions that the library calls, and operator new. They
// forward calls, and one call fails on demand.
namespace test_support {

/// Which call fails: the `nth`, counted from 1, of the function of that name (including "operator new"), and
/// with `lasting` all later ones. Allocations of less than `least` bytes do not count. Calls on the
/// communicator `spared` do not count. With `made_of` only calls on communicators that PMPI_Comm_create made
/// of it count: from MPI_COMM_WORLD the library makes the communicator for operations, and from that the one
/// for messages.
struct Fault {
  std::string_view function;
  int nth = 1;
  bool lasting = false;
  MPI_Comm spared = MPI_COMM_NULL;
  MPI_Comm made_of = MPI_COMM_NULL;
  std::size_t least = 0;
};

/// The error class of failed MPI calls: one that MPI does not return by itself here.
inline constexpr int injected_class = MPI_ERR_RMA_SHARED;

/// While it lives, the fault is active for this thread; one at a time.
class Injected {
public:
  explicit Injected(const Fault& fault);
  ~Injected() { remove(); }
  Injected(const Injected&) = delete;
  Injected& operator=(const Injected&) = delete;

  void remove();

  /// Returns whether a call has failed.
  bool fired() const;
};

} // namespace test_support
