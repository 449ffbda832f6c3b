// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// What the leader does in each operation.

#include <vector>

#include "hybrid/call.hpp"
#include "pipeline/staging.hpp"
#include "reduction/bounds.hpp"

namespace helper::hybrid {

namespace {

MPI_Count bytes_of(const MemberCall& call) {
  reject_negative_count(call);
  return call.count * element_bytes(call);
}

void carry_out_bcast(team::Member& leader, const MemberCall&, MemberCalls calls) {
  agree(calls, &MemberCall::root, [](const MemberCall& call) { return "root " + std::to_string(call.root); });
  if (!have_one_type(calls) || first_other(calls, &MemberCall::count) != calls.size()) {
    agree(calls, bytes_of, [](const MemberCall& call) {
      return std::to_string(call.count) + " of " + type_name(call.type) + ", " +
             std::to_string(bytes_of(call)) + " bytes";
    });
  }
  const MemberCall& first = calls.first(); // whose data the root sends
  const ResultCopies copies(first, calls);
  const auto broadcast = function_for(first.comm, MPI_Bcast, PMPI_Bcast);
  // One rank may have no element, and another one elements without data: quirk empty_bcast_hangs.
  if (bytes_of(first) == 0)
    check(broadcast(nullptr, 0, MPI_BYTE, first.root, first.comm));
  else
    check(broadcast(first.receive, first.count, first.type, first.root, first.comm));
  copies.run(leader);
}

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

/// Gives each member its block of the result for this rank.
void hand_out(team::Member& leader, const pipeline::Stream& got, MemberCalls calls) {
  const std::size_t bytes = got.size() / calls.size();
  std::vector<pipeline::Stream> targets;
  targets.reserve(calls.size());
  std::vector<BlockCopy> copies;
  calls.for_each([&](const MemberCall& call) {
    targets.push_back(data(call, call.receive, call.count));
    copies.push_back({&got, copies.size() * bytes, &targets.back(), 0});
  });
  got.load();
  run_copies(leader, copies, bytes);
  for (const pipeline::Stream& target : targets) target.store_back();
}

void carry_out_reduce_scatter_block(team::Member& leader, const MemberCall& own, MemberCalls calls) {
  agree_on_reduction(calls);
  const Blocks blocks(own, calls.size());
  const auto reduce = function_for(own.comm, MPI_Reduce_scatter, PMPI_Reduce_scatter);
  const bool is_alone = calls.size() == 1 && own.send != MPI_IN_PLACE; // several members are not in place
  if (is_alone || own.count == 0 || element_bytes(own) == 0) {
    check(reduce(own.send, own.receive, blocks.counts.data(), own.type, own.op, own.comm));
    return;
  }
  const auto share = static_cast<std::size_t>(own.count) * calls.size();
  const auto element = reduction::Bounds::of(own.type);
  const auto of_all = element.repeated(static_cast<std::size_t>(blocks.elements));
  const auto of_share = element.repeated(share);
  // Memory that the next call reuses, with its pages.
  const pipeline::Staging combined(static_cast<std::size_t>(of_all.span), 1);
  const pipeline::Staging reduced(static_cast<std::size_t>(of_share.span), 1);
  void* const base = combined[0] - of_all.lowest; // in the sense of MPI
  void* const result = reduced[0] - of_share.lowest;
  combine(leader, own, calls, blocks.elements, data(own, base, blocks.elements));
  check(reduce(base, result, blocks.counts.data(), own.type, own.op, own.comm));
  hand_out(leader, data(own, result, static_cast<MPI_Count>(share)), calls);
}

} // namespace

const HybridOperation barrier{"MPIX_Helper_barrier", [](team::Member&, const MemberCall& own, MemberCalls) {
                                check(function_for(own.comm, MPI_Barrier, PMPI_Barrier)(own.comm));
                              }};
const HybridOperation bcast{"MPIX_Helper_bcast", carry_out_bcast};
const HybridOperation allgather{"MPIX_Helper_allgather", carry_out_allgather};
const HybridOperation allreduce{"MPIX_Helper_allreduce", carry_out_allreduce};
const HybridOperation reduce_scatter_block{"MPIX_Helper_reduce_scatter_block",
                                           carry_out_reduce_scatter_block};

} // namespace helper::hybrid
