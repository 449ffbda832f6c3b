// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "hybrid/call.hpp"

namespace helper::hybrid {

namespace {

void carry_out_allreduce(team::Member& leader, const MemberCall& own, MemberCalls calls) {
  agree_on_reduction(calls);
  const ResultCopies copies(own, calls);

  // A rank makes one MPI call. Either all ranks call in place or none: quirk algorithm_by_in_place.
  const bool in_place = calls.size() == 1 && own.send == MPI_IN_PLACE;
  const bool combined =
      !in_place && own.count > 0 && combine(leader, own, calls, own.count, data(own, own.receive, own.count));
  const auto reduce = function_for(own.comm, MPI_Allreduce, PMPI_Allreduce);
  check(reduce(combined ? MPI_IN_PLACE : own.send, own.receive, own.count, own.type, own.op, own.comm));
  copies.run(leader);
}

} // namespace

const HybridOperation allreduce{"MPIX_Helper_allreduce", carry_out_allreduce};

} // namespace helper::hybrid
