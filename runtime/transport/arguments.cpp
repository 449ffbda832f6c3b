// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/arguments.hpp"

#include "layout/contents.hpp"
#include "native/large_counts.hpp"
#include "transport/mpi_error.hpp"
#include "transport/private_copy.hpp"

namespace helper::transport {

namespace {

int free_copy(MPI_Comm, int, void* copy, void*) {
  return PMPI_Comm_free(static_cast<MPI_Comm*>(copy));
}

/// A communicator of this process alone; MPI_COMM_NULL if there is none left. Freed by MPI_Finalize, which
/// first of all deletes the attributes of MPI_COMM_SELF.
MPI_Comm self() {
  static MPI_Comm copy = MPI_COMM_NULL;
  static const bool made = [] {
    copy = private_copy(MPI_COMM_SELF);
    if (copy == MPI_COMM_NULL) return false;
    int keyval = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_copy, &keyval, nullptr);
    PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, &copy);
    PMPI_Comm_free_keyval(&keyval);
    return true;
  }();
  return made ? copy : MPI_COMM_NULL;
}

} // namespace

void start_judging() {
  self();
}

bool valid_data(const void* buffer, MPI_Count count, MPI_Datatype type) {
  // A predefined type remains valid, so that the next small message of the same need not ask MPI.
  static thread_local constinit MPI_Datatype valid_before = MPI_DATATYPE_NULL;
  if (type == valid_before && type != MPI_DATATYPE_NULL && buffer != nullptr && count >= 0) return true;
  const MPI_Comm comm = self();
  if (comm == MPI_COMM_NULL || PMPI_Send_c(buffer, count, type, MPI_PROC_NULL, 0, comm) != MPI_SUCCESS)
    return false;
  if (layout::predefined(type)) valid_before = type;
  return true;
}

bool valid_operation(MPI_Op op, MPI_Datatype type) {
  const MPI_Comm comm = self();
  int nothing = 0;
  return comm != MPI_COMM_NULL && PMPI_Allreduce(MPI_IN_PLACE, &nothing, 0, type, op, comm) == MPI_SUCCESS;
}

bool valid_root(int root, MPI_Comm comm) {
  int size = 0;
  if (const int code = PMPI_Comm_size(comm, &size); code != MPI_SUCCESS) throw MpiError(MPI_COMM_NULL, code);
  return root >= 0 && root < size;
}

} // namespace helper::transport
