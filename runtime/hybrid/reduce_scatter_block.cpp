// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "hybrid/blocks.hpp"
#include "hybrid/combine.hpp"
#include "pipeline/staging.hpp"

namespace helper::hybrid {

namespace {

/// Memory for elements of a datatype, contiguous or not.
class ElementMemory {
public:
  /// Throws MpiError and std::bad_alloc.
  ElementMemory(MPI_Datatype type, int count) {
    MPI_Count lower_bound = 0;
    MPI_Count extent = 0;
    MPI_Count true_extent = 0;
    check(PMPI_Type_get_extent_x(type, &lower_bound, &extent));
    check(PMPI_Type_get_true_extent_x(type, &lower_bound, &true_extent));
    const MPI_Count others = std::max(count - 1, 0) * extent; // negative if the extent is negative
    lowest_ = lower_bound + std::min<MPI_Count>(others, 0);
    bytes_.emplace(static_cast<std::size_t>(std::abs(others) + true_extent), 1);
  }

  /// Returns the buffer address of the elements, in the sense of MPI.
  void* base() const noexcept { return (*bytes_)[0] - lowest_; }

private:
  MPI_Count lowest_ = 0;
  std::optional<pipeline::Staging> bytes_; // memory that the next call reuses, with its pages
};

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
  const ElementMemory combined(own.type, blocks.elements);
  const int share = own.count * static_cast<int>(calls.size());
  const ElementMemory reduced(own.type, share);
  combine(leader, own, calls, blocks.elements, data(own, combined.base(), blocks.elements));
  check(reduce(combined.base(), reduced.base(), blocks.counts.data(), own.type, own.op, own.comm));
  hand_out(leader, data(own, reduced.base(), share), calls);
}

} // namespace

const HybridOperation reduce_scatter_block{"MPIX_Helper_reduce_scatter_block",
                                           carry_out_reduce_scatter_block};

} // namespace helper::hybrid
