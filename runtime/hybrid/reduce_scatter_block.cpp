// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <vector>

#include "hybrid/call.hpp"
#include "pipeline/staging.hpp"
#include "reduction/bounds.hpp"

namespace helper::hybrid {

namespace {

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

const HybridOperation reduce_scatter_block{"MPIX_Helper_reduce_scatter_block",
                                           carry_out_reduce_scatter_block};

} // namespace helper::hybrid
