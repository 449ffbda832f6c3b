// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/private_copy.hpp"

#include "native/predefined.hpp"
#include "transport/mpi_error.hpp"

namespace helper::transport {

namespace {

/// While this lives, errors on `comm` are returned: what fails here is not the user's call. Only one thread
/// of a communicator may have it at a time: of two, the second would take MPI_ERRORS_RETURN for the handler
/// that was there before. A thread that is in a collective operation on the communicator is the only one.
class ErrorsReturned {
public:
  explicit ErrorsReturned(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm, &before_);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~ErrorsReturned() {
    PMPI_Comm_set_errhandler(comm_, before_);
    PMPI_Errhandler_free(&before_);
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

} // namespace

Group::Group(MPI_Comm comm) {
  if (const int code = PMPI_Comm_group(comm, &group_); code != MPI_SUCCESS)
    throw MpiError(MPI_COMM_NULL, code); // MPI has reported it
}

Group::~Group() {
  PMPI_Group_free(&group_);
}

MPI_Comm private_copy(MPI_Comm comm) {
  const ErrorsReturned returned(comm);
  MPI_Group group = MPI_GROUP_NULL;
  if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS) return MPI_COMM_NULL;
  int size = 0;
  PMPI_Group_size(group, &size);
  MPI_Comm copy = MPI_COMM_NULL;
  // Unlike Comm_dup, these functions call no attribute copy functions. MPICH's MPI_Comm_create takes one
  // process for MPI_COMM_SELF, which need not be there.
  const int code = size == 1 && !native::are_predefined() ? PMPI_Comm_split(comm, 0, 0, &copy)
                                                          : PMPI_Comm_create(comm, group, &copy);
  PMPI_Group_free(&group);
  if (code != MPI_SUCCESS) return MPI_COMM_NULL;
  PMPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  return copy;
}

void inherit_error_handler(MPI_Comm from, MPI_Comm to) {
  if (from == MPI_COMM_WORLD && !native::are_predefined()) return;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(from, &handler);
  PMPI_Comm_set_errhandler(to, handler);
  PMPI_Errhandler_free(&handler);
}

} // namespace helper::transport
