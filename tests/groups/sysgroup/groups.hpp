// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi_helper.h>

#include <sched.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "collective/cases.hpp"
#include "support/draw.hpp"
#include "support/handles.hpp"
#include "support/helpers.hpp"
#include "support/mpi_support.hpp"
#include "support/ranks.hpp"

namespace test_support {

/// Gathers `mine` of all ranks of MPI_COMM_WORLD. Yields the core while it waits.
inline std::vector<int> from_all(const std::vector<int>& mine) {
  const int count = static_cast<int>(mine.size());
  std::vector<int> all(mine.size() * static_cast<std::size_t>(size_of(MPI_COMM_WORLD)));
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iallgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0; PMPI_Test(&request, &done, MPI_STATUS_IGNORE)) sched_yield();
  return all;
}

/// Draws the bytes of an operation: any number, or up to 12 whole chunks, plus or minus 16 bytes.
inline int draw_bytes(Draw& draw) {
  constexpr int chunk = 32 * 1024;
  return draw.coin() ? draw.bytes(1 << 20) : (1 + draw.upto(11)) * chunk + 16 * (draw.upto(2) - 1);
}

template <class Act>
void phase_or_not(Draw& own, Helpers& helpers, const Act& act) {
  if (own.coin())
    helpers.phase(act);
  else
    act();
}

/// Returns a communicator of the members of `group`, in the order of their ranks in the group.
inline Comm communicator_of(MPIX_Sysgroup group) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPIX_Sysgroup_to_comm(group, &comm);
  return Comm(comm);
}

/// Runs `test(group, draw)` in groups of all processes and of some, with trees of all kinds. `draw` gives
/// equal values at all members.
template <class Test>
void in_groups(std::uint64_t seed, const Test& test) {
  Draw draw(seed);
  const int size = size_of(MPI_COMM_WORLD);
  for (const char* layout : {"rank", "node"}) {
    for (const char* branching : {"1", "2", "3"}) {
      const Info of_all{{"mpi_helper_branching", branching}, {"mpi_helper_layout", layout}};
      MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
      MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, of_all, &all);
      Draw within(static_cast<std::uint64_t>(draw.upto(1 << 30)));
      test(all, within);
      for (const char* scheme : {"balance", "hash", "centralised"}) {
        const int absent = draw.coin() ? -1 : draw.upto(size - 1);
        MPIX_Sysgroup some = MPIX_SYSGROUP_NULL;
        MPIX_Sysgroup_enroll(all, rank_of(MPI_COMM_WORLD) != absent ? 1 : 0,
                             Info{{"mpi_helper_scheme", scheme}}, &some);
        Draw of_some(static_cast<std::uint64_t>(draw.upto(1 << 30)));
        if (some == MPIX_SYSGROUP_NULL) continue;
        test(some, of_some);
        MPIX_Sysgroup_free(&some);
      }
      MPIX_Sysgroup_free(&all);
    }
  }
}

} // namespace test_support
