// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/private_copy.hpp"

namespace helper::transport {

namespace {

/// Errors on `comm` are returned while this lives: what fails here is not the user's call.
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
  const ErrorsReturned returned(comm);
  if (PMPI_Comm_group(comm, &group_) != MPI_SUCCESS) group_ = MPI_GROUP_NULL;
}

Group::~Group() {
  if (group_ != MPI_GROUP_NULL) PMPI_Group_free(&group_);
}

MPI_Comm private_copy(MPI_Comm comm) {
  const Group group(comm);
  if (group == MPI_GROUP_NULL) return MPI_COMM_NULL;
  const ErrorsReturned returned(comm);
  MPI_Comm copy = MPI_COMM_NULL;
  // Unlike Comm_dup, calls no attribute copy functions.
  if (PMPI_Comm_create(comm, group, &copy) != MPI_SUCCESS) return MPI_COMM_NULL;
  PMPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  return copy;
}

void inherit_error_handler(MPI_Comm from, MPI_Comm to) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(from, &handler);
  PMPI_Comm_set_errhandler(to, handler);
  PMPI_Errhandler_free(&handler);
}

} // namespace helper::transport
