// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/own_copy.hpp"

#include <mutex>

#include "native/large_counts.hpp"
#include "transport/private_copy.hpp"

namespace helper::transport {

namespace {

int free_copy(MPI_Comm, int, void* copy, void*) {
  return PMPI_Comm_free(static_cast<MPI_Comm*>(copy));
}

} // namespace

// MPI_Finalize first of all deletes the attributes of MPI_COMM_SELF.
MPI_Comm own() {
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

int copy_by_mpi(const Elements& from, const Elements& to) {
  static std::mutex mutex; // threads would receive one another's
  const std::lock_guard lock(mutex);
  const MPI_Comm comm = own();
  if (comm == MPI_COMM_NULL) return MPI_ERR_COMM;
  return PMPI_Sendrecv_c(from.base, from.count, from.type, 0, 0, to.base, to.count, to.type, 0, 0, comm,
                         MPI_STATUS_IGNORE);
}

} // namespace helper::transport
