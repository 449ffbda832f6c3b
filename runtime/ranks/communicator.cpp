// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "ranks/communicator.hpp"

#include <atomic>
#include <mutex>

#include "native/large_counts.hpp"
#include "native/predefined.hpp"
#include "native/quirks.hpp"
#include "ranks/mpi_error.hpp"

namespace helper::ranks {

namespace {

std::mutex making; // held to write `copy`
// The result of own(). Written with release once it is made; read with acquire.
std::atomic<MPI_Comm> copy{MPI_COMM_NULL};

/// Copies `comm` like private_copy(), but does not replace the error handler of `comm` meanwhile.
MPI_Comm made_like(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS) return MPI_COMM_NULL;
  int size = 0;
  PMPI_Group_size(group, &size);
  MPI_Comm made = MPI_COMM_NULL;
  // Unlike MPI_Comm_dup, these functions call no attribute copy functions. With one process, MPI_Comm_create
  // may need MPI_COMM_SELF, which may not exist (quirk comm_create_wants_self).
  const int code = size == 1 && !native::are_predefined() ? PMPI_Comm_split(comm, 0, 0, &made)
                                                          : PMPI_Comm_create(comm, group, &made);
  PMPI_Group_free(&group);
  if (code != MPI_SUCCESS) return MPI_COMM_NULL;
  PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

} // namespace

Group::Group(MPI_Comm comm) {
  check(PMPI_Comm_group(comm, &group_));
}

Group::~Group() {
  PMPI_Group_free(&group_);
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank));
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  check(PMPI_Comm_size(comm, &size));
  // `comm` is not a communicator, and MPI has called an error handler: quirk success_after_error.
  if (size == 0) throw MpiError(MPI_COMM_NULL, MPI_SUCCESS);
  return size;
}

MPI_Comm private_copy(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return MPI_COMM_NULL;
  const ErrorsReturned returned(comm);
  return made_like(comm);
}

MPI_Comm private_copy_of_world() {
  return made_like(MPI_COMM_WORLD);
}

MPI_Comm private_copy_of_self(MPI_Comm all) {
  if (all == MPI_COMM_NULL) return MPI_COMM_NULL;
  int rank = 0;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group self = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_rank(all, &rank);
  PMPI_Comm_group(all, &group);
  PMPI_Group_incl(group, 1, &rank, &self);
  if (PMPI_Comm_create(all, self, &made) != MPI_SUCCESS) made = MPI_COMM_NULL;
  PMPI_Group_free(&self);
  PMPI_Group_free(&group);
  if (made != MPI_COMM_NULL) PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

void inherit_error_handler(MPI_Comm from, MPI_Comm to) {
  if (from == MPI_COMM_WORLD && !native::are_predefined()) return;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(from, &handler);
  PMPI_Comm_set_errhandler(to, handler);
  PMPI_Errhandler_free(&handler);
}

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
  static std::mutex mutex; // otherwise threads would receive one another's messages
  const std::lock_guard lock(mutex);
  const MPI_Comm comm = own();
  if (comm == MPI_COMM_NULL) return MPI_ERR_COMM;
  return PMPI_Sendrecv_c(from.base, from.count, from.type, 0, 0, to.base, to.count, to.type, 0, 0, comm,
                         MPI_STATUS_IGNORE);
}

Reporting reporting() noexcept {
  static const Reporting found = native::quirks::errors_by_request() ? Reporting::by_request
                                 : native::quirks::errors_to_world() ? Reporting::to_world
                                                                     : Reporting::by_request_or_self;
  return found;
}

MPI_Comm unnamed_comm() noexcept {
  if (reporting() != Reporting::by_request_or_self || !native::are_predefined()) return MPI_COMM_WORLD;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(MPI_COMM_SELF, &handler);
  const bool is_set = handler != MPI_ERRORS_ARE_FATAL;
  PMPI_Errhandler_free(&handler);
  return is_set ? MPI_COMM_SELF : MPI_COMM_WORLD;
}

} // namespace helper::ranks
