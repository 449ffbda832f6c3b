// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "hybrid/call.hpp"

namespace helper::hybrid {

namespace {

MPI_Count bytes(const MemberCall& call) {
  reject_negative_count(call);
  return call.count * element_bytes(call);
}

void carry_out_bcast(team::Member& leader, const MemberCall&, MemberCalls calls) {
  agree(calls, &MemberCall::root, [](const MemberCall& call) { return "root " + std::to_string(call.root); });
  if (!have_one_type(calls) || first_other(calls, &MemberCall::count) != calls.size()) {
    agree(calls, bytes, [](const MemberCall& call) {
      return std::to_string(call.count) + " of " + type_name(call.type) + ", " + std::to_string(bytes(call)) +
             " bytes";
    });
  }
  const MemberCall& first = calls.first(); // whose data the root sends
  const ResultCopies copies(first, calls);
  const auto broadcast = function_for(first.comm, MPI_Bcast, PMPI_Bcast);
  // One rank may have no element, and another one elements without data: quirk empty_bcast_hangs.
  if (bytes(first) == 0)
    check(broadcast(nullptr, 0, MPI_BYTE, first.root, first.comm));
  else
    check(broadcast(first.receive, first.count, first.type, first.root, first.comm));
  copies.run(leader);
}

} // namespace

const HybridOperation bcast{"MPIX_Helper_bcast", carry_out_bcast};

} // namespace helper::hybrid
