// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"

#include <algorithm>
#include <vector>

#include "collective/reduce_shm_mapped.hpp"
#include "collective/rounds.hpp"
#include "collective/slots.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

namespace {

using Step = Slots::Step;

/// Rounds in slots of the arena, the memory of the lanes. Each rank packs its contributions into its slot,
/// reduces its piece from all slots, and stores the result, for others also in its slot.
class RoundsInSlots final : public Rounds {
public:
  RoundsInSlots(const Reduction& reduction, const Stream& from, const Results& results, const Slots& slots,
                pipeline::Stores stores)
      : Rounds(reduction, from, results, reduction.rank(), true, stores), slots_(slots) {}

  void run(const Shares& shares, const SlotRounds& cut) {
    std::vector<RoundLane> in_flight;
    const Pieces pieces(shares, reduction_.reducer.element(), cut.piece);
    for (std::size_t index = 0; index < std::min(slots_.count(), cut.rounds); ++index) {
      in_flight.emplace_back(reduction_.member, reduction_.shadow, index, pieces);
      in_flight.back().packed = slots_.own(index);
    }
    Rounds::run(in_flight, cut.rounds);
  }

private:
  void begin(RoundLane& lane) override {
    if (lane.round >= slots_.count()) await_peers(lane, lane.round - slots_.count(), Step::consumed);
  }

  void exchange(RoundLane& lane) override {
    slots_.show(lane.index, lane.round, Step::packed);
    if (lane.pieces.bytes(self_) == 0) return;
    await_peers(lane, lane.round, Step::packed);
    const std::size_t at = lane.pieces.begin(self_);
    for (std::size_t rank = 0; rank < reduction_.ranks(); ++rank)
      lane.operands[rank] = slots_.of(rank, lane.index) + at;
    lane.result = lane.packed + at;
  }

  void share(RoundLane& lane) override {
    if (results_.are_given()) slots_.show(lane.index, lane.round, Step::reduced);
    if (results_.are_taken()) await_peers(lane, lane.round, Step::reduced);
  }

  const std::byte* results(const RoundLane& lane, std::size_t rank) const noexcept override {
    return slots_.of(rank, lane.index);
  }

  void end(RoundLane& lane) override { slots_.show(lane.index, lane.round, Step::consumed); }

  void await_peers(RoundLane& lane, std::size_t round, Step step) const {
    for (std::size_t rank = 0; rank < reduction_.ranks(); ++rank) {
      if (rank != self_) slots_.await(lane, rank, lane.index, round, step);
    }
  }

  const Slots& slots_;
};

/// Returns the number of slots wanted: one if results are stored where other rounds have their contributions.
/// Each member that has a core adds that core's cache, and needs work while others finish a round.
std::size_t slots_wanted(const SlotRounds& cut, const Results& results, const team::Team& team) {
  const auto members = static_cast<std::size_t>(team.at_work());
  const std::size_t in_flight =
      results.are_on_contributions() ? 1 : std::max<std::size_t>(members * shm_cico_most / cut.slot, 1);
  return std::min(in_flight, cut.rounds);
}

/// Returns the number of slots of a single round in flight, if a rank without helpers wants one round.
std::size_t joined_wanted(const SlotRounds& cut, const Shares& shares, const team::Team& team) {
  if (team.at_work() > 1 || shares.owners() == 1) return 0;
  return std::min(cut.rounds, joined_most / cut.slot);
}

} // namespace

bool reduce_shm_cico(const Reduction& reduction, const Stream& from, const Shares& shares,
                     const Results& results) {
  const std::size_t bytes = from.size();
  SharedOperation shared(reduction.operation, reduction.member, reduction.shadow);
  const pipeline::Stores stores = pipeline::stores_of(bytes, shared.shares_cache());
  ShmMapped mapped(shared, reduction, from, shares, results);
  mapped.offer(shared.shares_cache() || bytes >= pipeline::past_caches_least);
  const team::Team& team = reduction.member.team();
  const auto cut_into = [&](std::size_t slot) {
    return SlotRounds(slot, reduction.reducer.element(), shares.owners(), shares.largest());
  };
  SlotRounds cut = cut_into(reduction.shadow.chunk());
  const Slots slots(shared, reduction.shadow, slots_wanted(cut, results, team),
                    joined_wanted(cut, shares, team), std::min(cut.slot, bytes),
                    pipeline::are_better_in_rooms(bytes, stores)); // here the ranks meet
  if (slots.bytes() > cut.slot) cut = cut_into(slots.bytes());
  shared.look(bytes);
  const bool is_mapped = mapped.agree();
  if (is_mapped) {
    record(reduction.member, Algorithm::shm_mapped);
    mapped.run();
  } else if (slots.count() != 0) {
    RoundsInSlots(reduction, from, results, slots, stores).run(shares, cut);
  }
  shared.finish();
  return is_mapped || slots.count() != 0;
}

} // namespace helper::collective
