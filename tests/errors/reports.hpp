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

// What tests with faults share: an error handler that counts, and native communication between ranks.
namespace test_support {

/// Completes a native request. Unlike MPI_Wait it yields the core, since there may be more ranks than cores.
inline void await(MPI_Request request) {
  for (int done = 0; done == 0; std::this_thread::yield()) PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

inline void await_all_ranks() {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibarrier(MPI_COMM_WORLD, &request);
  await(request);
}

/// Returns the number of ranks at which `first`, `second` and `third` are true. Collective.
inline std::array<int, 3> counted(bool first, bool second, bool third) {
  std::array<int, 3> counts{first ? 1 : 0, second ? 1 : 0, third ? 1 : 0};
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iallreduce(MPI_IN_PLACE, counts.data(), 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  await(request);
  return counts;
}

inline std::atomic<int> handled{0}; // any member may add while its operation runs
inline int handled_code = MPI_SUCCESS;

inline void count_error(MPI_Comm*, int* code, ...) {
  ++handled;
  handled_code = *code;
}

/// Returns whether the class of `code` is right. If the fault has fired in this thread, it may be the class
/// of the fault. In any case it may be MPI_ERR_OTHER, as when another rank has failed.
inline bool is_of(int code, bool fired, const Fault& fault) {
  const int of_fault = fault.function == "operator new" ? MPI_ERR_NO_MEM : injected_class;
  const int error_class = class_of(code);
  return error_class == MPI_ERR_OTHER || (fired && error_class == of_fault);
}

/// A communicator of all_neighbors(). Its error handler is count_error.
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
    await_all_ranks(); // the messages of ranks that gave up have arrived
    MPI_Comm_free(&handle_);
  }
};

} // namespace test_support
