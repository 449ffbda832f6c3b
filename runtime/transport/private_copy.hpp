// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

namespace helper::transport {

/// This holds the group of a communicator. The constructor throws MpiError.
class Group {
public:
  explicit Group(MPI_Comm comm);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the handle in calls of MPI
  operator MPI_Group() const noexcept { return group_; }

private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

/// Returns a communicator of the processes of `comm` in their order that returns errors, or MPI_COMM_NULL
/// where MPI has none left, of which no error handler learns, nor, meanwhile, of errors of other threads on
/// `comm`. Attributes and info are not copied. It is collective over `comm`.
MPI_Comm private_copy(MPI_Comm comm);

/// Gives `to` the error handler of `from`, as MPI wants of a communicator that is made of another (MPI-4.0,
/// section 9.3); MPICH's MPI_Comm_create_group does not.
void inherit_error_handler(MPI_Comm from, MPI_Comm to);

} // namespace helper::transport
