// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <vector>

#include "hybrid/call.hpp"

namespace helper::hybrid {

namespace {

/// Copies the contributions of this rank's members into the leader's receive buffer, where MPI reads them.
void collect(team::Member& leader, const MemberCall& own, MemberCalls calls, const Blocks& blocks) {
  const pipeline::Stream collected = data(own, own.receive, blocks.elements);
  const std::size_t element = collected.size() / static_cast<std::size_t>(blocks.elements);
  const std::size_t bytes = static_cast<std::size_t>(own.count) * element;
  std::vector<pipeline::Stream> contributions;
  contributions.reserve(calls.size());
  std::vector<BlockCopy> copies;
  std::size_t at = static_cast<std::size_t>(blocks.first) * element;
  calls.for_each([&](const MemberCall& call) {
    const bool in_place = call.send == MPI_IN_PLACE;
    reject_aliases(call);
    contributions.push_back(in_place ? data(call, call.receive, blocks.elements)
                                     : data(call, call.send, call.count));
    contributions.back().load();
    if (!in_place || call.receive != own.receive || call.type != own.type)
      copies.push_back({&contributions.back(), in_place ? at : 0, &collected, at});
    at += bytes;
  });
  collected.load(); // blocks that are there
  run_copies(leader, copies, bytes);
  collected.store_back();
}

void carry_out_allgather(team::Member& leader, const MemberCall& own, MemberCalls calls) {
  agree_on_count(calls);
  if (!have_one_type(calls))
    agree(calls, element_bytes, [](const MemberCall& call) { return "datatype " + type_name(call.type); });
  reject_negative_count(own);
  const Blocks blocks(own, calls.size());
  const ResultCopies copies(own, calls, blocks.members);
  if (own.count > 0 && element_bytes(own) > 0) collect(leader, own, calls, blocks);
  const auto gather = function_for(own.comm, MPI_Allgatherv, PMPI_Allgatherv);
  check(gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, own.receive, blocks.counts.data(),
               blocks.displacements.data(), own.type, own.comm));
  copies.run(leader);
}

} // namespace

const HybridOperation allgather{"MPIX_Helper_allgather", carry_out_allgather};

} // namespace helper::hybrid
