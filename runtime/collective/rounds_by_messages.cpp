// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/rounds_by_messages.hpp"

#include "collective/algorithms.hpp"
#include "collective/schedule.hpp"

namespace helper::collective {

namespace {

/// Returns the elements of a piece, such that what a rank receives of its piece in one round, from all the
/// others, is a chunk in total; with `groups` of up to `most` ranks, a number that divides among them.
std::size_t elements_in_piece(const Reduction& reduction, const Shares& shares, std::size_t groups,
                              std::size_t most) {
  const std::size_t chunk = groups == 1
                                ? reduction.shadow.chunk()
                                : scheduled_chunk(std::min(reduction.shadow.chunk(), nodes_chunk), groups);
  const std::size_t others = std::max<std::size_t>(most - 1, 1);
  const std::size_t fitting = chunk / others / reduction.reducer.element();
  return std::clamp<std::size_t>(fitting, 1, std::max<std::size_t>(shares.largest(), 1));
}

} // namespace

RoundsByMessages::RoundsByMessages(const Reduction& reduction, const Stream& from, const Shares& shares,
                                   const Results& results, const std::vector<int>* of_node)
    : Rounds(reduction, from, results,
             of_node == nullptr ? reduction.rank() : reduction.shadow.nodes().own_index(), false),
      shares_(shares), of_node_(of_node), groups_(of_node == nullptr ? 1 : reduction.shadow.nodes().count()),
      element_(reduction.reducer.element()),
      piece_(elements_in_piece(reduction, shares, groups_,
                               of_node == nullptr ? reduction.ranks() : reduction.shadow.nodes().most())) {}

/// Calls `visit(rank)` for every other rank, in the order of schedules.
template <class Visit>
void RoundsByMessages::for_each_peer(const Visit& visit) const {
  for (std::size_t step = 0; step < shares_.ranks(); ++step) {
    const std::size_t peer = Schedule::partner(step, self_, shares_.ranks());
    if (peer != self_) visit(peer);
  }
}

std::size_t RoundsByMessages::received_bytes() const {
  const std::size_t own = std::min(piece_, shares_.size(self_));
  const std::size_t of_groups = groups_ / 2 * ((own + groups_ - 1) / groups_); // half of it
  return std::max((shares_.ranks() - 1) * own, of_groups) * element_;
}

std::size_t RoundsByMessages::packed_bytes() const {
  const bool is_dense = from_.is_dense() && (results_.to() == nullptr || results_.to()->is_dense());
  if (is_dense && !results_.are_on_contributions()) return 0;
  std::size_t elements = 0;
  for (std::size_t rank = 0; rank < shares_.ranks(); ++rank) elements += std::min(piece_, shares_.size(rank));
  return elements * element_;
}

void RoundsByMessages::exchange(RoundLane& lane) {
  // The result may not be where others' contributions arrive: other nodes' contributions arrive there too.
  lane.result = packed_bytes() != 0 ? lane.packed + lane.pieces.begin(self_) : received(lane);
  for_each_peer([&](std::size_t peer) {
    const std::size_t theirs = lane.pieces.bytes(peer);
    if (theirs == 0) return;
    lane.send(lane.piece(from_, peer), theirs, rank_of(peer), tag(MessageKind::contribution, lane.round));
  });
  if (const std::size_t mine = lane.pieces.bytes(self_); mine != 0) {
    std::byte* next = received(lane);
    for_each_peer([&](std::size_t peer) {
      lane.receive(next, mine, rank_of(peer), tag(MessageKind::contribution, lane.round));
      lane.operands[peer] = next;
      next += mine;
    });
  }
}

// Results may arrive on contributions: exchange() has settled, so these have been sent.
void RoundsByMessages::share(RoundLane& lane) {
  const int label = tag(MessageKind::result, lane.round);
  const std::size_t mine = lane.pieces.bytes(self_);
  for_each_peer([&](std::size_t peer) {
    if (mine != 0 && results_.are_given_to(peer)) lane.send(lane.result, mine, rank_of(peer), label);
  });
  for_each_peer([&](std::size_t peer) {
    const std::size_t theirs = lane.pieces.bytes(peer);
    if (theirs == 0 || !results_.are_taken()) return;
    lane.receive(lane.piece(*results_.to(), peer), theirs, rank_of(peer), label);
  });
}

const std::byte* RoundsByMessages::results(const RoundLane& lane, std::size_t) const noexcept {
  return results_.to()->is_dense() ? nullptr : lane.packed;
}

void reduce_by_messages(const Reduction& reduction, const Stream& from, const Shares& shares,
                        const Results& results) {
  RoundsByMessages(reduction, from, shares, results).run();
}

} // namespace helper::collective
