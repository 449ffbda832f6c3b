// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/staged.hpp"

#include <algorithm>
#include <vector>

#include "collective/slots.hpp"
#include "pipeline/copy_past_caches.hpp"
#include "pipeline/store_choice.hpp"

namespace helper::collective {

namespace {

using pipeline::StoreChoice;
using pipeline::Stores;
using pipeline::Stream;
using Step = Slots::Step;

// How to write to the slots.
constinit pipeline::StoreChoices choices;

class Staged;
struct RoundLane;

struct PackRound {
  static constexpr trace::Stage stage = trace::Stage::pack;
  const Staged* staged;
  const RoundLane* lane;
  void operator()(std::size_t begin, std::size_t end) noexcept;
};
struct ReduceRound {
  static constexpr trace::Stage stage = trace::Stage::reduce;
  const Staged* staged;
  const RoundLane* lane;
  void operator()(std::size_t begin, std::size_t end) noexcept;
};
struct UnpackRound {
  static constexpr trace::Stage stage = trace::Stage::unpack;
  const Staged* staged;
  const RoundLane* lane;
  void operator()(std::size_t begin, std::size_t end) noexcept;
};

/// A round in flight.
struct RoundLane : pipeline::Lane {
  using Lane::Lane;
  std::size_t index = 0;          // among the lanes
  std::size_t offset = 0;         // of the round in the stream, in bytes
  std::vector<std::size_t> begin; // of every rank's piece in the round, in bytes; at last, their end
  std::vector<const std::byte*> operands;
  PackRound pack;
  ReduceRound reduce;
  UnpackRound unpack;

  std::size_t bytes() const { return begin.back(); }
};

/// One rank's part of one operation.
class Staged {
public:
  Staged(const Reduction& reduction, const Stream& from, const Stream& to, Slots& slots, Stores stores)
      : reduction_(reduction), from_(from), to_(to), slots_(slots), stores_(stores), self_(reduction.rank()),
        element_(reduction.reducer.element()), round_(reduction.shadow.chunk() / element_) {}

  void run();

private:
  friend PackRound;
  friend ReduceRound;
  friend UnpackRound;

  template <class Visit>
  void for_each_peer(const Visit& visit) const {
    for (std::size_t step = 1; step < reduction_.ranks(); ++step) visit((self_ + step) % reduction_.ranks());
  }
  void await_peers(RoundLane& lane, std::size_t round, Step step) const {
    for_each_peer([&](std::size_t rank) { slots_.await(lane, rank, lane.index, round, step); });
  }

  std::vector<RoundLane> make_lanes(std::size_t rounds) const;
  void begin(RoundLane& lane, std::size_t round) const;
  void pack(RoundLane& lane) const;
  void reduce(RoundLane& lane) const;
  void store(std::size_t begin, std::size_t bytes, const std::byte* packed) const noexcept;

  const Reduction& reduction_;
  const Stream& from_;
  const Stream& to_;
  Slots& slots_;
  const Stores stores_;
  const std::size_t self_;
  const std::size_t element_;
  const std::size_t round_; // elements, the last round excepted
};

void Staged::run() {
  const std::size_t rounds = (reduction_.elements(from_) + round_ - 1) / round_;
  std::vector<RoundLane> in_flight = make_lanes(rounds);
  pipeline::run(
      reduction_.operation, in_flight, rounds,
      [&](RoundLane& lane, std::size_t round) { begin(lane, round); },
      [&](RoundLane& lane, std::size_t) { pack(lane); },
      [&](RoundLane& lane, std::size_t round) {
        slots_.show(lane.index, round, Step::packed);
        await_peers(lane, round, Step::packed);
      },
      [&](RoundLane& lane, std::size_t) { reduce(lane); },
      [&](RoundLane& lane, std::size_t round) {
        slots_.show(lane.index, round, Step::reduced);
        await_peers(lane, round, Step::reduced);
      },
      [&](RoundLane& lane, std::size_t) {
        lane.unpack = {this, &lane};
        lane.offer(lane.unpack, lane.bytes(), pipeline::grain);
      },
      [&](RoundLane& lane, std::size_t round) { slots_.show(lane.index, round, Step::consumed); });
}

std::vector<RoundLane> Staged::make_lanes(std::size_t rounds) const {
  std::vector<RoundLane> made;
  for (std::size_t index = 0; index < std::min(slots_.count(), rounds); ++index) {
    RoundLane& lane = made.emplace_back(reduction_.member, reduction_.shadow);
    lane.index = index;
    lane.begin.resize(reduction_.ranks() + 1);
    lane.operands.resize(reduction_.ranks());
  }
  return made;
}

/// Waits until the slot is free.
void Staged::begin(RoundLane& lane, std::size_t round) const {
  const std::size_t first = round * round_;
  const std::size_t count = std::min(round_, reduction_.elements(from_) - first);
  const std::size_t ranks = reduction_.ranks();
  lane.offset = first * element_;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    lane.begin[rank + 1] = lane.begin[rank] + (count / ranks + (rank < count % ranks ? 1 : 0)) * element_;
  if (round >= slots_.count()) await_peers(lane, round - slots_.count(), Step::consumed);
}

void Staged::pack(RoundLane& lane) const {
  lane.pack = {this, &lane};
  lane.offer(lane.pack, lane.bytes(), pipeline::grain);
}

void Staged::reduce(RoundLane& lane) const {
  const std::size_t at = lane.begin[self_];
  const std::size_t bytes = lane.begin[self_ + 1] - at;
  if (bytes == 0) return;
  for_each_peer([&](std::size_t rank) { lane.operands[rank] = slots_.of(rank, lane.index) + at; });
  std::byte* const result = slots_.own(lane.index) + at;
  lane.operands[self_] = from_.is_dense() ? from_.dense() + lane.offset + at : result;
  const Reducer& reducer = reduction_.reducer;
  if (reducer.helpers_may()) {
    lane.reduce = {this, &lane};
    lane.offer(lane.reduce, bytes / element_, std::max<std::size_t>(pipeline::grain / element_, 1));
  } else {
    const trace::Chunk recorded = lane.member().own_chunk(ReduceRound::stage, bytes / element_);
    reducer.reduce(lane.operands, 0, bytes / element_, result);
    store(lane.offset + at, bytes, result);
  }
}

/// Puts results into the user's buffer.
void Staged::store(std::size_t begin, std::size_t bytes, const std::byte* packed) const noexcept {
  if (to_.is_dense() && to_.size() >= past_caches_least) {
    pipeline::copy_past_caches(to_.dense() + begin, packed, bytes);
  } else {
    to_.unpack(begin, begin + bytes, packed);
  }
}

/// All but the own piece, unless that must be packed to be reduced.
void PackRound::operator()(std::size_t begin, std::size_t end) noexcept {
  const auto pack = [this](std::size_t first, std::size_t last) {
    if (first >= last) return;
    pipeline::PackToSlotJob job{&staged->from_, lane->offset + first, staged->slots_.own(lane->index) + first,
                                staged->stores_};
    job(0, last - first);
  };
  if (!staged->from_.is_dense()) return pack(begin, end);
  pack(begin, std::min(end, lane->begin[staged->self_]));
  pack(std::max(begin, lane->begin[staged->self_ + 1]), end);
}

/// The own piece, for the others and for the user.
void ReduceRound::operator()(std::size_t begin, std::size_t end) noexcept {
  const std::size_t own = lane->begin[staged->self_];
  std::byte* const slot = staged->slots_.own(lane->index) + own;
  reduce_in_pieces(staged->reduction_.reducer, lane->operands, begin, end,
                   [&](const std::byte* piece, std::size_t at, std::size_t bytes) {
                     pipeline::copy(slot + at, piece, bytes, staged->stores_);
                     staged->store(lane->offset + own + at, bytes, piece);
                   });
}

/// All but the own piece, which is there.
void UnpackRound::operator()(std::size_t begin, std::size_t end) noexcept {
  staged->for_each_peer([&](std::size_t rank) {
    const std::size_t first = std::max(begin, lane->begin[rank]);
    const std::size_t last = std::min(end, lane->begin[rank + 1]);
    if (first < last)
      staged->store(lane->offset + first, last - first, staged->slots_.of(rank, lane->index) + first);
  });
}

} // namespace

bool allreduce_staged(SharedOperation& shared, const Reduction& reduction, const Stream& from,
                      const Stream& to) {
  const std::size_t chunk = reduction.shadow.chunk();
  const std::size_t element = reduction.reducer.element();
  if (element > chunk || reduction.elements(from) / (chunk / element) >= Slots::most_rounds) return false;
  Slots slots(shared, reduction.shadow, (from.size() + chunk - 1) / chunk);
  if (slots.count() == 0) return false;
  StoreChoice& choice = choices.of(from.size(), from.is_dense());
  const Stores stores = choice.choose().stores;
  const auto begun = StoreChoice::Clock::now();
  Staged(reduction, from, to, slots, stores).run();
  shared.finish();
  choice.learn(stores, from.size(), StoreChoice::Clock::now() - begun);
  return true;
}

} // namespace helper::collective
