// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <utility>

namespace helper::transport {

/// This holds a communicator, which is freed with the object; all its processes do so together.
class Communicator {
public:
  Communicator() noexcept = default;
  explicit Communicator(MPI_Comm comm) noexcept : comm_(comm) {}
  ~Communicator() {
    if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
  }
  Communicator(Communicator&& other) noexcept : comm_(other.release()) {}
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(comm_, other.comm_);
    return *this;
  }

  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the handle in calls of MPI
  operator MPI_Comm() const noexcept { return comm_; }
  MPI_Comm release() noexcept { return std::exchange(comm_, MPI_COMM_NULL); }

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

} // namespace helper::transport
