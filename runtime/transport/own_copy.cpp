// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/own_copy.hpp"

#include <atomic>
#include <mutex>

#include "native/large_counts.hpp"
#include "native/predefined.hpp"
#include "transport/private_copy.hpp"

namespace helper::transport {

namespace {

std::mutex making; // held to write what follows
// It is made before it is seen: it is written with release and read with acquire.
std::atomic<MPI_Comm> copy{MPI_COMM_NULL};

} // namespace

MPI_Comm own() {
  if (const MPI_Comm made = copy.load(std::memory_order_acquire); made != MPI_COMM_NULL) return made;
  const std::lock_guard lock(making);
  if (copy.load(std::memory_order_relaxed) == MPI_COMM_NULL && native::are_predefined())
    copy.store(private_copy(MPI_COMM_SELF), std::memory_order_release);
  return copy.load(std::memory_order_relaxed);
}

void own_is(MPI_Comm self) {
  free_own();
  const std::lock_guard lock(making);
  copy.store(self, std::memory_order_release);
}

void free_own() {
  const std::lock_guard lock(making);
  MPI_Comm freed = copy.exchange(MPI_COMM_NULL);
  if (freed != MPI_COMM_NULL) PMPI_Comm_free(&freed);
}

int copy_by_mpi(const Elements& from, const Elements& to) {
  static std::mutex mutex; // threads would receive one another's messages
  const std::lock_guard lock(mutex);
  const MPI_Comm comm = own();
  if (comm == MPI_COMM_NULL) return MPI_ERR_COMM;
  return PMPI_Sendrecv_c(from.base, from.count, from.type, 0, 0, to.base, to.count, to.type, 0, 0, comm,
                         MPI_STATUS_IGNORE);
}

} // namespace helper::transport
