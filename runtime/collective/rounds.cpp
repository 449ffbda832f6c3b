// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/rounds.hpp"

#include "pipeline/stores.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

namespace {

/// Offers `each`, which gets the arguments of Pieces::for_each_part(), for all parts of a lane's pieces. It
/// copies only `copied` bytes of them. If these are few, the caller does all: a helper that claimed a chunk
/// might get all bytes to copy, which are not in its cache.
template <class Each>
void offer_parts(RoundLane& lane, trace::Stage stage, std::size_t copied, const Each& each) {
  const std::size_t all = lane.pieces.bytes();
  lane.offer(stage, all, copied <= pipeline::grain ? all : pipeline::grain,
             [&lane, each](std::size_t begin, std::size_t end) noexcept {
               lane.pieces.for_each_part(begin, end, each);
             });
}

} // namespace

void Rounds::run(std::vector<RoundLane>& in_flight, std::size_t rounds) {
  pipeline::run(
      reduction_.operation, in_flight, rounds,
      [this](RoundLane& lane, std::size_t round) {
        lane.round = round;
        lane.pieces.start(round);
        begin(lane);
      },
      [this](RoundLane& lane, std::size_t) { pack(lane); },
      [this](RoundLane& lane, std::size_t) { exchange(lane); },
      [this](RoundLane& lane, std::size_t) { reduce(lane); },
      [this](RoundLane& lane, std::size_t) { share(lane); },
      [this](RoundLane& lane, std::size_t) { take(lane); },
      [this](RoundLane& lane, std::size_t) { end(lane); });
}

void Rounds::pack(RoundLane& lane) const {
  const std::size_t of_others = lane.pieces.bytes() - lane.pieces.bytes(self_);
  if (!packs_own_ && of_others == 0) return;
  offer_parts(
      lane, trace::Stage::pack, packs_own_ ? lane.pieces.bytes() : of_others,
      [this, &lane](std::size_t rank, std::size_t at, std::size_t bytes, std::size_t packed) noexcept {
        if (rank != self_ || packs_own_) pipeline::pack(from_, at, at + bytes, lane.packed + packed, stores_);
      });
}

void Rounds::reduce(RoundLane& lane) const {
  const std::size_t elements = lane.pieces.bytes(self_) / reduction_.reducer.element();
  if (elements == 0) return;
  lane.operands[self_] =
      packs_own_ ? lane.packed + lane.pieces.begin(self_) : from_.dense() + lane.pieces.offset(self_);
  pipeline::start_reducing(
      reduction_.reducer, lane, elements, [this, &lane](std::size_t begin, std::size_t end) {
        if (reduction_.reducer.helpers_may()) return reduce_and_copy(lane, begin, end);
        reduction_.reducer.reduce(lane.operands, begin, end, lane.result);
        if (const Stream* const to = results_.to())
          pipeline::store(*to, own_place(lane), lane.pieces.bytes(self_), lane.result); // of all elements
      });
}

/// Reduces elements [begin, end), in the user's buffer if possible, and copies them to where others read.
void Rounds::reduce_and_copy(const RoundLane& lane, std::size_t begin, std::size_t end) const noexcept {
  const Stream* const to = results_.to();
  std::byte* out = to != nullptr ? pipeline::target(*to, own_place(lane)) : nullptr;
  if (out == lane.operands[self_]) out = nullptr; // an operand that is read after those of lower ranks
  reduction::reduce_in_pieces(reduction_.reducer, lane.operands, begin, end, out,
                              [&](const std::byte* piece, std::size_t at, std::size_t bytes) {
                                if (results_.are_given())
                                  pipeline::copy_unordered(lane.result + at, piece, bytes, stores_);
                                if (to != nullptr && out == nullptr)
                                  pipeline::store_unordered(*to, own_place(lane) + at, bytes, piece);
                              });
  if (stores_ == pipeline::Stores::streaming || out == nullptr) layout::order_past_caches();
}

/// Stores all results except the own one, which is stored already.
void Rounds::take(RoundLane& lane) const {
  if (!results_.are_taken()) return;
  offer_parts(
      lane, trace::Stage::unpack, lane.pieces.bytes() - lane.pieces.bytes(self_),
      [this, &lane](std::size_t rank, std::size_t at, std::size_t bytes, std::size_t packed) noexcept {
        if (rank != self_) pipeline::store(*results_.to(), at, bytes, results(lane, rank) + packed);
      });
}

} // namespace helper::collective
