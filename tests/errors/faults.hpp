// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <string_view>

// Injects faults. The program defines the PMPI functions that the library calls, and operator new. They
// forward each call, except for one that fails on demand.
namespace test_support {

/// Which call fails: call `nth`, counted from 1, of the function of that name ("operator new" is one). With
/// `lasting`, all later calls fail as well. Three kinds of calls are not counted: allocations of less than
/// `least` bytes; calls on communicator `spared`; if `made_of` is set, calls on communicators that
/// PMPI_Comm_create has not made from it. The library makes its communicator for operations from
/// MPI_COMM_WORLD, and from that the one for messages.
struct Fault {
  std::string_view function;
  int nth = 1;
  bool lasting = false;
  MPI_Comm spared = MPI_COMM_NULL;
  MPI_Comm made_of = MPI_COMM_NULL;
  std::size_t least = 0;
};

/// The error class of failed MPI calls. MPI itself returns it for no call of these tests.
inline constexpr int injected_class = MPI_ERR_RMA_SHARED;

/// Injects the fault into calls of this thread while the object lives. A thread has one fault at a time.
class Injected {
public:
  explicit Injected(const Fault& fault);
  ~Injected() { remove(); }
  Injected(const Injected&) = delete;
  Injected& operator=(const Injected&) = delete;

  void remove();

  /// Returns whether a call has failed because of the fault.
  bool fired() const;
};

} // namespace test_support
