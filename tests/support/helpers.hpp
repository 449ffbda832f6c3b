// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi_helper.h>

#include <atomic>
#include <thread>
#include <vector>

#include "support/mpi_support.hpp"

namespace test_support {

/// A team of `size` threads. The thread that makes the object communicates, and the other threads help. Size
/// 0 means transparent mode, with the team of the library. Teams that exist at the same time must have
/// different ids.
class Helpers {
public:
  explicit Helpers(int size = team_size(), int id = 4711) : size_(size), id_(id) {
    if (size_ == 0) return;
    MPI_Helper_team_create(id_, size_, &team_);
    for (int i = 1; i < size_; ++i) threads_.emplace_back([this] { lend(); });
  }
  ~Helpers() {
    if (size_ == 0) return;
    last_phase_ = phases_ + 1;
    phase([] {});
    for (std::thread& thread : threads_) thread.join();
    MPI_Helper_team_free(&team_);
  }
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  /// Calls `body` in a phase.
  template <class Body>
  void phase(const Body& body) {
    if (size_ == 0) return body();
    ++phases_;
    MPI_Helper_join(team_);
    body();
    MPI_Helper_leave(team_);
  }

  /// Ends a phase and begins another. Call it in a phase.
  void fence() {
    if (size_ == 0) return;
    ++phases_;
    MPI_Helper_fence(team_);
  }

private:
  void lend() {
    MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
    MPI_Helper_team_create(id_, size_, &team);
    // last_phase_ is set before the last phase can end. So a thread that has left that phase sees it.
    for (int phase = 0; phase != last_phase_; ++phase) {
      MPI_Helper_join(team);
      MPI_Helper_leave(team);
    }
    MPI_Helper_team_free(&team);
  }

  const int size_;
  const int id_;
  MPI_Helper_team team_ = MPI_HELPER_TEAM_NULL;
  int phases_ = 0;
  std::atomic<int> last_phase_{-1}; // set by the destructor, to the number of the last phase
  std::vector<std::thread> threads_;
};

} // namespace test_support
