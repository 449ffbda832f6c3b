// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <numeric>

#include "message/flavours.hpp"
#include "support/catch.hpp"

namespace test_support {

/// What this rank does in a transfer on a communicator.
struct Role {
  enum Kind { idle, sender, receiver } kind;
  int peer;
};

inline bool is_inter(MPI_Comm comm) {
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  return inter != 0;
}

/// Draws pairs of a sender and a receiver: any ranks, or on an inter-communicator ranks with the same number,
/// in a random direction. Returns the role of this rank.
inline Role draw_role(Draw& shared, const Comm& comm) {
  if (is_inter(comm)) {
    const bool forth = shared.coin();
    int remote = 0;
    int world_rank = 0;
    PMPI_Comm_remote_size(comm, &remote);
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    if (comm.rank() >= remote) return {Role::idle, MPI_PROC_NULL};
    return {(world_rank % 2 == 0) == forth ? Role::sender : Role::receiver, comm.rank()};
  }
  std::vector<int> ranks(static_cast<std::size_t>(comm.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  shared.shuffle(ranks);
  for (std::size_t i = 0; i + 1 < ranks.size(); i += 2) {
    if (ranks[i] == comm.rank()) return {Role::sender, ranks[i + 1]};
    if (ranks[i + 1] == comm.rank()) return {Role::receiver, ranks[i]};
  }
  return {Role::idle, MPI_PROC_NULL};
}

/// Returns communicators(), and an inter-communicator between the even and the odd ranks.
inline std::vector<Comm> all_communicators() {
  std::vector<Comm> all = communicators();
  if (all.front().size() < 2) return all;
  all.push_back(between_groups(all.front().rank() % 2 == 0));
  return all;
}

/// Checks the status of a receive into `data` of a message of `ints` ints.
inline void check_status(const MPI_Status& status, int source, int tag, const Data& data, int ints) {
  CHECK(wrong_in(status, source, tag, data, ints) == "");
}

} // namespace test_support
