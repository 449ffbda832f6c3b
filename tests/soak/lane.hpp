// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi_helper.h>

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "collective/cases.hpp"
#include "errors/operations.hpp"
#include "message/transfers.hpp"
#include "soak/report.hpp"

namespace soak {

using test_support::Comm;
using test_support::Draw;

/// A non-blocking collective operation whose result must be `expected`.
struct Later {
  std::vector<int> in;
  std::vector<int> out;
  std::vector<int> expected;
  MPI_Request request = MPI_REQUEST_NULL;
};

/// Memory of MPI_Alloc_mem; each byte is `content`.
struct Block {
  unsigned char* bytes;
  std::size_t size;
  unsigned char content;
};

/// What one thread of each rank uses for its traffic: communicators that no other thread uses, and a team.
/// The main threads of all ranks make and destroy it together; in between only the lane's thread uses it.
class Lane {
public:
  /// With `is_transparent` the lane has no team of its own but uses the team of the library.
  Lane(int number, bool is_transparent);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  const int number;
  const Comm world;
  const std::vector<Comm> of_senders;
  const int rank = world.rank();
  const int ranks = world.size();

  /// Replaces the team by one with `size` threads.
  void make_team(int size);
  test_support::Helpers& team() { return *team_; }
  void leave_team() { team_.reset(); }
  bool is_transparent() const { return is_transparent_; }

  /// Calls `body` in a phase, or outside.
  template <class Body>
  void call(bool in_phase, const Body& body) {
    if (in_phase)
      team_->phase(body);
    else
      body();
  }

  /// Completes all operations that have been started, or some, in a phase or outside. Checks their results.
  void complete(bool all, Draw& own);

  test_support::Part transfers{of_senders};
  int next_key = 0; ///< of a transfer
  std::list<Later> later;
  std::vector<Block> blocks;

  /// Returns an operation whose result is known. The first call makes all operations.
  test_support::Operation& operation(std::size_t index);
  test_support::Operation& probe();
  std::size_t operations();

  /// Returns a system-ranked group of all ranks. The first call makes the group and is collective.
  MPIX_Sysgroup group();

private:
  const bool is_transparent_;
  std::optional<test_support::Helpers> team_;
  std::vector<std::unique_ptr<test_support::Operation>> operations_;
  std::unique_ptr<test_support::Operation> probe_;
  MPIX_Sysgroup group_ = MPIX_SYSGROUP_NULL;
};

/// Returns a copy of `comm`, made by native MPI.
Comm copy_of(const Comm& comm);

} // namespace soak
