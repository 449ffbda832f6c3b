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

/// A non-blocking collective operation that is to bring `expected`.
struct Later {
  std::vector<int> in;
  std::vector<int> out;
  std::vector<int> expected;
  MPI_Request request = MPI_REQUEST_NULL;
};

/// Memory of MPI_Alloc_mem, each byte of which is `content`.
struct Block {
  unsigned char* bytes;
  std::size_t size;
  unsigned char content;
};

/// What one thread of each rank has for its traffic: communicators on which no other thread communicates, and
/// a team. Made and destroyed by the main thread, collectively; everything else is its own thread's.
class Lane {
public:
  /// `is_transparent`: the library has a team of its own, and the lane has none.
  Lane(int number, bool is_transparent);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  const int number;
  const Comm world;
  const std::vector<Comm> of_senders;
  const int rank = world.rank();
  const int ranks = world.size();

  /// Makes a team of so many threads in place of that which is there.
  void make_team(int size);
  test_support::Helpers& team() { return *team_; }
  void leave_team() { team_.reset(); }
  bool is_transparent() const { return is_transparent_; }

  /// Calls `body` in a phase, or not.
  template <class Body>
  void call(bool in_phase, const Body& body) {
    if (in_phase)
      team_->phase(body);
    else
      body();
  }

  /// Completes some of what was begun, or all, and checks it; in a phase or not, as `own` draws.
  void complete(bool all, Draw& own);

  test_support::Part transfers{of_senders};
  int next_key = 0; ///< of a transfer
  std::list<Later> later;
  std::vector<Block> blocks;

  /// Operations whose result is known; made when first used.
  test_support::Operation& operation(std::size_t index);
  test_support::Operation& probe();
  std::size_t operations();

  /// A system-ranked group of all ranks; made when first used, collectively.
  MPIX_Sysgroup group();

private:
  const bool is_transparent_;
  std::optional<test_support::Helpers> team_;
  std::vector<std::unique_ptr<test_support::Operation>> operations_;
  std::unique_ptr<test_support::Operation> probe_;
  MPIX_Sysgroup group_ = MPIX_SYSGROUP_NULL;
};

/// A copy of the lane's communicator, by native MPI.
Comm copy_of(const Comm& comm);

} // namespace soak
