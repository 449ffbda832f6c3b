// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/reduce_shm_cico.hpp"

#include <algorithm>
#include <vector>

#include "collective/pieces.hpp"
#include "collective/slots.hpp"
#include "collective/store.hpp"
#include "pipeline/copy_past_caches.hpp"
#include "pipeline/store_choice.hpp"

namespace helper::collective {

namespace {

using pipeline::Stores;
using pipeline::Stream;
using Step = Slots::Step;

class ShmCico;
struct CicoLane;

struct PackRound {
  static constexpr trace::Stage stage = trace::Stage::pack;
  const ShmCico* cico;
  const CicoLane* lane;
  void operator()(std::size_t begin, std::size_t end) noexcept;
};
struct ReduceRound {
  static constexpr trace::Stage stage = trace::Stage::reduce;
  const ShmCico* cico;
  const CicoLane* lane;
  void operator()(std::size_t begin, std::size_t end) noexcept;
};
struct UnpackRound {
  static constexpr trace::Stage stage = trace::Stage::unpack;
  const ShmCico* cico;
  const CicoLane* lane;
  void operator()(std::size_t begin, std::size_t end) noexcept;
};

/// A round in flight.
struct CicoLane : pipeline::Lane {
  CicoLane(team::Member& member, const transport::Shadow& shadow, std::size_t number, const Pieces& all)
      : Lane(member, shadow), index(number), pieces(all), operands(all.ranks()) {}

  std::size_t index; // among the lanes
  Pieces pieces;
  std::vector<const std::byte*> operands;
  PackRound pack;
  ReduceRound reduce;
  UnpackRound unpack;
};

/// One rank's part of one operation.
class ShmCico {
public:
  ShmCico(const Reduction& reduction, const Stream& from, const Shares& shares, const Results& results,
          std::size_t most, Slots& slots, Stores stores)
      : reduction_(reduction), from_(from), shares_(shares), results_(results), slots_(slots),
        stores_(stores), self_(reduction.rank()), element_(reduction.reducer.element()), most_(most),
        packs_own_(!from.is_dense() || results.are_on_contributions()) {}

  void run(std::size_t rounds) const;

private:
  friend PackRound;
  friend ReduceRound;
  friend UnpackRound;

  template <class Visit>
  void for_each_peer(const Visit& visit) const {
    for (std::size_t step = 1; step < reduction_.ranks(); ++step) visit((self_ + step) % reduction_.ranks());
  }
  void await_peers(CicoLane& lane, std::size_t round, Step step) const {
    for_each_peer([&](std::size_t rank) { slots_.await(lane, rank, lane.index, round, step); });
  }

  std::vector<CicoLane> make_lanes(std::size_t rounds) const;
  void begin(CicoLane& lane, std::size_t round) const;
  void pack(CicoLane& lane) const;
  void reduce(CicoLane& lane) const;
  /// Where the result of the own piece goes.
  std::size_t own_place(const CicoLane& lane) const noexcept {
    return results_.own_place(shares_.begin(self_) * element_) + lane.pieces.before();
  }

  const Reduction& reduction_;
  const Stream& from_;
  const Shares& shares_;
  const Results& results_;
  Slots& slots_;
  const Stores stores_;
  const std::size_t self_;
  const std::size_t element_;
  const std::size_t most_; // elements of a piece
  const bool packs_own_;   // since the own contributions cannot be reduced from where they are
};

void ShmCico::run(std::size_t rounds) const {
  std::vector<CicoLane> in_flight = make_lanes(rounds);
  pipeline::run(
      reduction_.operation, in_flight, rounds, [&](CicoLane& lane, std::size_t round) { begin(lane, round); },
      [&](CicoLane& lane, std::size_t) { pack(lane); },
      [&](CicoLane& lane, std::size_t round) {
        slots_.show(lane.index, round, Step::packed);
        if (lane.pieces.bytes(self_) != 0) await_peers(lane, round, Step::packed);
      },
      [&](CicoLane& lane, std::size_t) {
        if (lane.pieces.bytes(self_) != 0) reduce(lane);
      },
      [&](CicoLane& lane, std::size_t round) {
        if (results_.are_given()) slots_.show(lane.index, round, Step::reduced);
        if (results_.are_taken()) await_peers(lane, round, Step::reduced);
      },
      [&](CicoLane& lane, std::size_t) {
        if (!results_.are_taken()) return;
        lane.unpack = {this, &lane};
        lane.offer(lane.unpack, lane.pieces.bytes(), pipeline::grain);
      },
      [&](CicoLane& lane, std::size_t round) { slots_.show(lane.index, round, Step::consumed); });
}

std::vector<CicoLane> ShmCico::make_lanes(std::size_t rounds) const {
  std::vector<CicoLane> made;
  const Pieces pieces(shares_, element_, most_);
  for (std::size_t index = 0; index < std::min(slots_.count(), rounds); ++index)
    made.emplace_back(reduction_.member, reduction_.shadow, index, pieces);
  return made;
}

/// Waits until the slot is free.
void ShmCico::begin(CicoLane& lane, std::size_t round) const {
  lane.pieces.start(round);
  if (round >= slots_.count()) await_peers(lane, round - slots_.count(), Step::consumed);
}

void ShmCico::pack(CicoLane& lane) const {
  if (!packs_own_ && lane.pieces.bytes() == lane.pieces.bytes(self_)) return;
  lane.pack = {this, &lane};
  lane.offer(lane.pack, lane.pieces.bytes(), pipeline::grain);
}

void ShmCico::reduce(CicoLane& lane) const {
  const std::size_t at = lane.pieces.begin(self_);
  const std::size_t elements = lane.pieces.bytes(self_) / element_;
  for_each_peer([&](std::size_t rank) { lane.operands[rank] = slots_.of(rank, lane.index) + at; });
  std::byte* const result = slots_.own(lane.index) + at;
  lane.operands[self_] = packs_own_ ? result : from_.dense() + lane.pieces.offset(self_);
  const Reducer& reducer = reduction_.reducer;
  if (reducer.helpers_may()) {
    lane.reduce = {this, &lane};
    lane.offer(lane.reduce, elements, grain(reducer));
  } else {
    const trace::Chunk recorded = lane.member().own_chunk(ReduceRound::stage, elements);
    reducer.reduce(lane.operands, 0, elements, result);
    if (results_.to() != nullptr) store(*results_.to(), own_place(lane), elements * element_, result);
  }
}

void PackRound::operator()(std::size_t begin, std::size_t end) noexcept {
  std::byte* const slot = cico->slots_.own(lane->index);
  lane->pieces.for_each_part(
      begin, end, [&](std::size_t rank, std::size_t at, std::size_t bytes, std::size_t packed) {
        if (rank == cico->self_ && !cico->packs_own_) return;
        pipeline::PackToSlotJob{&cico->from_, at, slot + packed, cico->stores_}(0, bytes);
      });
}

/// The own piece, for the others and for the user.
void ReduceRound::operator()(std::size_t begin, std::size_t end) noexcept {
  const Results& results = cico->results_;
  std::byte* const slot = cico->slots_.own(lane->index) + lane->pieces.begin(cico->self_);
  const std::size_t own = cico->own_place(*lane);
  std::byte* out = results.to() != nullptr ? target(*results.to(), own) : nullptr;
  if (out == lane->operands[cico->self_])
    out = nullptr; // which is read when those of lower ranks are combined
  reduce_in_pieces(cico->reduction_.reducer, lane->operands, begin, end, out,
                   [&](const std::byte* piece, std::size_t at, std::size_t bytes) {
                     if (results.are_given()) pipeline::copy(slot + at, piece, bytes, cico->stores_);
                     if (results.to() != nullptr && out == nullptr)
                       store(*results.to(), own + at, bytes, piece);
                   });
}

/// All but the own piece, which is there.
void UnpackRound::operator()(std::size_t begin, std::size_t end) noexcept {
  lane->pieces.for_each_part(
      begin, end, [&](std::size_t rank, std::size_t at, std::size_t bytes, std::size_t packed) {
        if (rank != cico->self_)
          store(*cico->results_.to(), at, bytes, cico->slots_.of(rank, lane->index) + packed);
      });
}

std::size_t count_owners(const Shares& shares) {
  std::size_t owners = 0;
  for (std::size_t rank = 0; rank < shares.ranks(); ++rank) owners += shares.size(rank) != 0 ? 1 : 0;
  return owners;
}

} // namespace

bool reduce_shm_cico(SharedOperation& shared, const Reduction& reduction, const Stream& from,
                     const Shares& shares, const Results& results, Stores stores) {
  // A round takes as many elements of each share as all fit into a slot.
  const std::size_t owners = count_owners(shares);
  const std::size_t chunk = std::min(reduction.shadow.chunk(), owners == 1 ? sole_chunk : any_size);
  const std::size_t most = chunk / reduction.reducer.element() / owners;
  if (most == 0) return false;
  const std::size_t rounds = (shares.largest() + most - 1) / most;
  if (rounds > Slots::most_rounds) return false;
  // One round at a time if its results lie where later ones, or earlier ones, have their contributions.
  const std::size_t in_flight =
      results.are_on_contributions() ? 1 : std::max<std::size_t>(shm_cico_most / chunk, 1);
  Slots slots(shared, reduction.shadow, std::min(in_flight, rounds), std::min(chunk, from.size()),
              pipeline::are_better_in_rooms(from.size(), stores));
  if (slots.count() == 0) return false;
  ShmCico(reduction, from, shares, results, most, slots, stores).run(rounds);
  shared.finish();
  return true;
}

} // namespace helper::collective
