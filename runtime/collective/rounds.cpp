// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/rounds.hpp"

#include <algorithm>

#include "collective/selection.hpp"

namespace helper::collective {

using pipeline::Stream;

namespace {

/// What a rank receives of its piece in one round, from each of the others, is a chunk in total.
std::size_t elements_in_piece(const Shares& shares, std::size_t others, std::size_t element,
                              std::size_t chunk) {
  const std::size_t fitting = chunk / others / element;
  return std::clamp<std::size_t>(fitting, 1, std::max<std::size_t>(shares.largest(), 1));
}

} // namespace

Rounds::Rounds(const Reduction& reduction, const Stream& from, const Shares& shares)
    : Rounds(reduction, from, shares, {{}, reduction.rank(), 1, reduction.ranks()}) {}

Rounds::Rounds(const Reduction& reduction, const Stream& from, const Shares& shares, const Group& group)
    : reduction_(reduction), from_(from), shares_(shares), group_(group), self_(group.self),
      element_(reduction.reducer.element()),
      piece_(elements_in_piece(shares, std::max<std::size_t>(group.most - 1, 1), element_,
                               group.groups == 1 ? reduction.shadow.chunk()
                                                 : std::min(reduction.shadow.chunk(), nodes_chunk))) {}

std::size_t Rounds::received_bytes() const {
  const std::size_t own = std::min(piece_, shares_.size(self_));
  const std::size_t of_groups = (group_.groups - 1) * ((own + group_.groups - 1) / group_.groups);
  return std::max((shares_.ranks() - 1) * own, of_groups) * element_;
}

std::size_t Rounds::packed_bytes() const {
  if (from_.is_dense()) return 0;
  std::size_t elements = 0;
  for (std::size_t rank = 0; rank < shares_.ranks(); ++rank) elements += std::min(piece_, shares_.size(rank));
  return elements * element_;
}

std::vector<RoundLane> Rounds::lanes_on(const pipeline::Staging& staging) const {
  std::vector<RoundLane> in_flight;
  for (std::size_t index = 0; index < staging.count(); ++index) {
    RoundLane& lane =
        in_flight.emplace_back(reduction_.member, reduction_.shadow, Pieces(shares_, element_, piece_));
    lane.received = staging[index];
    lane.packed = staging[index] + received_bytes();
  }
  return in_flight;
}

void Rounds::begin(RoundLane& lane, std::size_t round) const {
  lane.round = round;
  lane.pieces.start(round);
  if (from_.is_dense()) return;
  lane.pack = {&from_, &lane};
  lane.offer(lane.pack, lane.pieces.bytes(), pipeline::grain);
}

void Rounds::exchange(RoundLane& lane) const {
  if (const std::size_t mine = bytes(lane, self_); mine != 0) {
    std::byte* next = lane.received;
    lane.operands[self_] = piece(from_, lane, self_);
    for_each_peer([&](std::size_t peer) {
      lane.receive(next, mine, rank_of(peer), tag(Message::contribution, lane.round));
      lane.operands[peer] = next;
      next += mine;
    });
  }
  for_each_peer([&](std::size_t peer) {
    const std::size_t theirs = bytes(lane, peer);
    if (theirs == 0) return;
    lane.send(piece(from_, lane, peer), theirs, rank_of(peer), tag(Message::contribution, lane.round));
  });
}

void Rounds::reduce(RoundLane& lane, std::byte* result) const {
  if (shares_.ranks() == 1) {
    lane.result = piece(from_, lane, self_);
    return;
  }
  lane.result = result;
  lane.reduce = {&reduction_.reducer, lane.operands, result};
  lane.reduce.start(lane, bytes(lane, self_) / element_);
}

void Rounds::send_result(RoundLane& lane, std::size_t peer) const {
  const std::size_t mine = bytes(lane, self_);
  if (mine != 0) lane.send(lane.result, mine, rank_of(peer), tag(Message::result, lane.round));
}

// Results may land in the buffer that the contributions were sent from: exchange() has settled, so they are
// gone.
void Rounds::receive_results(RoundLane& lane, const Stream& to) const {
  for_each_peer([&](std::size_t peer) {
    const std::size_t theirs = bytes(lane, peer);
    if (theirs == 0) return;
    lane.receive(piece(to, lane, peer), theirs, rank_of(peer), tag(Message::result, lane.round));
  });
}

void Rounds::share_results(RoundLane& lane, const Stream& to) const {
  receive_results(lane, to);
  for_each_peer([&](std::size_t peer) { send_result(lane, peer); });
}

void Rounds::unpack(RoundLane& lane, const Stream& to) const {
  if (to.is_dense()) return;
  lane.unpack = {&to, &lane};
  lane.offer(lane.unpack, lane.pieces.bytes(), pipeline::grain);
}

void Rounds::unpack_result(RoundLane& lane, const Stream& to) const {
  const std::size_t mine = bytes(lane, self_);
  if (mine == 0) return;
  lane.unpack_result = {&to, before(lane), lane.result};
  lane.offer(lane.unpack_result, mine, pipeline::grain);
}

void PackPieces::operator()(std::size_t begin, std::size_t end) noexcept {
  lane->pieces.for_each_part(begin, end,
                             [&](std::size_t, std::size_t at, std::size_t bytes, std::size_t packed) {
                               from->pack(at, at + bytes, lane->packed + packed);
                             });
}

void UnpackPieces::operator()(std::size_t begin, std::size_t end) noexcept {
  lane->pieces.for_each_part(begin, end,
                             [&](std::size_t, std::size_t at, std::size_t bytes, std::size_t packed) {
                               to->unpack(at, at + bytes, lane->packed + packed);
                             });
}

} // namespace helper::collective
