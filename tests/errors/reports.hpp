// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "errors/faults.hpp"
#include "errors/operations.hpp"
#include "support/handles.hpp"
#include "support/mpi_support.hpp"
#include "support/ranks.hpp"

// The common part of tests with faults: an error handler that counts, and native communication between ranks.
namespace test_support {

/// Completes a native request like MPI_Wait, but yields the core: there may be more ranks than cores.
inline void await(MPI_Request request) {
  for (int done = 0; done == 0; std::this_thread::yield()) PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

inline void await_all_ranks() {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibarrier(MPI_COMM_WORLD, &request);
  await(request);
}

/// Returns at how many ranks each of these is true.
inline std::array<int, 3> counted(bool first, bool second, bool third) {
  std::array<int, 3> counts{first ? 1 : 0, second ? 1 : 0, third ? 1 : 0};
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iallreduce(MPI_IN_PLACE, counts.data(), 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  await(request);
  return counts;
}

inline std::atomic<int> handled{0}; // any member's thread; ordered by its operation
inline int handled_code = MPI_SUCCESS;

inline void count_error(MPI_Comm*, int* code, ...) {
  ++handled;
  handled_code = *code;
}

/// Returns whether the error is the fault's, if the fault has met the thread, or otherwise another rank's.
inline bool is_of(int code, bool fired, const Fault& fault) {
  const int of_fault = fault.function == "operator new" ? MPI_ERR_NO_MEM : injected_class;
  const int error_class = class_of(code);
  return error_class == MPI_ERR_OTHER || (fired && error_class == of_fault);
}

/// A communicator of all_neighbors(), whose error handler counts.
class Comm : public Holder<MPI_Comm> {
public:
  Comm() {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Request request = MPI_REQUEST_NULL;
    static const MPI_Comm neighbors = all_neighbors();
    PMPI_Comm_idup(neighbors, &handle_, &request);
    await(request);
    MPI_Comm_set_errhandler(handle_, handler);
    MPI_Errhandler_free(&handler);
  }
  ~Comm() {
    await_all_ranks(); // what those that gave up have said has arrived
    MPI_Comm_free(&handle_);
  }
};

} // namespace test_support
