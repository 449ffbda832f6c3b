// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <string_view>

// Faults for the library to meet: this program defines the PMPI functions that the library calls, and
// operator new, forwards them, and fails one call on demand.
namespace test_support {

/// What is to fail: the `nth` call, counted from 1, of the function of that name, "operator new" included,
/// and with `lasting` all later ones. Allocations of less than `least` bytes do not count. Those for the
/// communicator `spared` do not count, and with `made_of` none but those for what PMPI_Comm_create made of
/// it: of MPI_COMM_WORLD the library makes the communicator of its operations, and of that the one of its
/// messages.
struct Fault {
  std::string_view function;
  int nth = 1;
  bool lasting = false;
  MPI_Comm spared = MPI_COMM_NULL;
  MPI_Comm made_of = MPI_COMM_NULL;
  std::size_t least = 0;
};

/// The error class of the failed calls of MPI functions: one that MPI does not give by itself here.
inline constexpr int injected_class = MPI_ERR_RMA_SHARED;

/// The fault is there for this thread while this lives; one at a time.
class Injected {
public:
  explicit Injected(const Fault& fault);
  ~Injected() { remove(); }
  Injected(const Injected&) = delete;
  Injected& operator=(const Injected&) = delete;

  void remove();

  /// Whether a call has failed.
  bool fired() const;
};

} // namespace test_support
