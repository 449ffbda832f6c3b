// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/rounds.hpp"

#include "pipeline/stores.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

namespace {

/// Returns the chunks into which a lane's bytes are cut, `copied` of which are copied. Small data stay with
/// the caller: a helper that took half of the range might have none of it in its cache.
std::size_t grain_for(const RoundLane& lane, std::size_t copied) {
  return copied <= pipeline::grain ? lane.pieces.bytes() : pipeline::grain;
}

} // namespace

void Rounds::pack(RoundLane& lane) const {
  const std::size_t of_others = lane.pieces.bytes() - lane.pieces.bytes(self_);
  if (!packs_own_ && (of_others == 0 || !copies_)) return;
  const std::size_t copied = packs_own_ ? lane.pieces.bytes() : of_others;
  lane.offer(trace::Stage::pack, lane.pieces.bytes(), grain_for(lane, copied),
             [this, &lane](std::size_t begin, std::size_t end) noexcept { pack_pieces(lane, begin, end); });
}

void Rounds::pack_pieces(const RoundLane& lane, std::size_t begin, std::size_t end) const noexcept {
  const bool packs_others = copies_ || !from_.is_dense();
  lane.pieces.for_each_part(begin, end,
                            [&](std::size_t rank, std::size_t at, std::size_t bytes, std::size_t packed) {
                              if (rank == self_ ? packs_own_ : packs_others)
                                pipeline::pack(from_, at, at + bytes, lane.packed + packed, stores_);
                            });
}

void Rounds::reduce(RoundLane& lane) const {
  const std::size_t elements = lane.pieces.bytes(self_) / reduction_.reducer.element();
  if (elements == 0) return;
  lane.operands[self_] =
      packs_own_ ? lane.packed + lane.pieces.begin(self_) : from_.dense() + lane.pieces.offset(self_);
  if (lane.operands.size() == 1) {
    lane.result = const_cast<std::byte*>(lane.operands[self_]); // nobody writes there
    return;
  }
  const Stream* const to = results_.to();
  if (!copies_ && to != nullptr && to->is_dense()) lane.result = to->dense() + own_place(lane);
  pipeline::start_reducing(reduction_.reducer, lane, elements,
                           [this, &lane](std::size_t begin, std::size_t end) {
                             if (copies_ && reduction_.reducer.helpers_may())
                               reduce_and_copy(lane, begin, end);
                             else
                               reduce_piece(lane, begin, end);
                           });
}

/// Reduces elements [begin, end) for the others, and from there for the user.
void Rounds::reduce_piece(const RoundLane& lane, std::size_t begin, std::size_t end) const {
  const std::size_t element = reduction_.reducer.element();
  reduction_.reducer.reduce(lane.operands, begin, end, lane.result);
  const Stream* const to = results_.to();
  const std::byte* const made = lane.result + begin * element;
  const std::size_t at = own_place(lane) + begin * element;
  if (to != nullptr && !(to->is_dense() && to->dense() + at == made))
    pipeline::store(*to, at, (end - begin) * element, made);
}

/// Reduces elements [begin, end) for the user, or in the first-level cache, and copies them for the others.
void Rounds::reduce_and_copy(const RoundLane& lane, std::size_t begin, std::size_t end) const noexcept {
  const Stream* const to = results_.to();
  std::byte* out = to != nullptr ? pipeline::target(*to, own_place(lane)) : nullptr;
  if (out == lane.operands[self_]) out = nullptr; // read when lower ranks' operands are combined
  reduction::reduce_in_pieces(reduction_.reducer, lane.operands, begin, end, out,
                              [&](const std::byte* piece, std::size_t at, std::size_t bytes) {
                                if (results_.are_given())
                                  pipeline::copy_unordered(lane.result + at, piece, bytes, stores_);
                                if (to != nullptr && out == nullptr)
                                  pipeline::store_unordered(*to, own_place(lane) + at, bytes, piece);
                              });
  if (stores_ == pipeline::Stores::streaming || out == nullptr) layout::order_past_caches();
}

void Rounds::take(RoundLane& lane) const {
  if (!results_.are_taken() || results(lane, self_) == nullptr) return;
  const std::size_t of_others = lane.pieces.bytes() - lane.pieces.bytes(self_);
  lane.offer(trace::Stage::unpack, lane.pieces.bytes(), grain_for(lane, of_others),
             [this, &lane](std::size_t begin, std::size_t end) noexcept { store_results(lane, begin, end); });
}

/// Stores all pieces except the own one, which is stored already.
void Rounds::store_results(const RoundLane& lane, std::size_t begin, std::size_t end) const noexcept {
  lane.pieces.for_each_part(begin, end,
                            [&](std::size_t rank, std::size_t at, std::size_t bytes, std::size_t packed) {
                              if (rank != self_)
                                pipeline::store(*results_.to(), at, bytes, results(lane, rank) + packed);
                            });
}

} // namespace helper::collective
