// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "collective/rounds.hpp"
#include "collective/slots.hpp"
#include "pipeline/stores.hpp"
#include "pipeline/stream.hpp"
#include "shm/region.hpp"

namespace helper::collective {

namespace {

using Step = Slots::Step;

/// Rounds in which each lane has a slot of the arena. A rank packs its contributions into its slot, reduces
/// its piece from all slots, and stores the result in its buffer and, for other ranks, in its slot.
class RoundsInSlots final : public Rounds {
public:
  RoundsInSlots(const Reduction& reduction, const Stream& from, const Results& results, const Slots& slots,
                pipeline::Stores stores)
      : Rounds(reduction, from, results, stores), slots_(slots) {}

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

// Flags that the class Slots does not use, since the operation may use Slots as well.
enum : std::size_t { contribution = 5, result, verdict };

/// Where other ranks find a rank's data. In no region unless they are contiguous, in memory of MPI_Alloc_mem.
using Place = shm::Region::RegionPart;

Place place(const Stream& stream) {
  const auto part = stream.is_dense() ? shm::Region::find(stream.dense(), stream.size()) : std::nullopt;
  return part.value_or(Place{});
}

bool is_in_region(const Place& place) {
  return place.region.bytes != 0;
}

/// The message of a rank about its contribution.
struct MappedOffer {
  Place place;
  bool wanted; // whether ranks shall read contributions in place; rank 0 decides
};

/// Reduces data that all ranks have in memory of MPI_Alloc_mem. Each rank reduces its share, reading the
/// contributions where they are. Other ranks copy the results from where this rank stores them.
class ShmMapped {
public:
  /// All arguments must outlive the object.
  ShmMapped(SharedOperation& shared, const Reduction& reduction, const Stream& from, const Shares& shares,
            const Results& results)
      : shared_(shared), reduction_(reduction), from_(from), shares_(shares), results_(results) {}

  /// Writes where this rank's data are, for others to see with its next flag. With `wanted`, rank 0 decides
  /// that all ranks read in place: if ranks share a cache, or the data fit in no cache. Otherwise slots
  /// written with streaming stores are read faster than another processor's cache.
  void offer(bool wanted) {
    if (!may_be()) return;
    shared_.note<MappedOffer>(contribution) = {results_.are_on_contributions() ? Place{} : place(from_),
                                               wanted};
    if (results_.are_given()) shared_.note<Place>(result) = place(*results_.to());
  }

  /// Returns whether to call run(), the same at all ranks. Call it when all ranks have shown a flag after
  /// offer(). run() needs the consent of rank 0, a kernel, and contiguous data that all ranks can map.
  /// Results must have a place, and must not overwrite contributions. Blocks. Throws PeerGaveUp.
  bool agree() {
    if (!may_be() || !shared_.note<MappedOffer>(0, contribution).wanted) return false;
    const auto contributed = [&](std::size_t rank) {
      return shared_.note<MappedOffer>(rank, contribution).place;
    };
    const auto resulting = [&](std::size_t rank) { return shared_.note<Place>(rank, result); };
    for (std::size_t rank = 0; rank < reduction_.ranks(); ++rank) {
      if (!is_in_region(contributed(rank)) || (results_.are_taken() && !is_in_region(resulting(rank))))
        return false;
    }
    bool& mine = shared_.note<bool>(verdict);
    mine = map_all(contributions_, from_, contributed) &&
           (!results_.are_taken() || map_all(others_, *results_.to(), resulting));
    shared_.show(verdict, 1);
    shared_.await_all(verdict, 1);
    for (std::size_t rank = 0; rank < reduction_.ranks(); ++rank) {
      if (!shared_.note<bool>(rank, verdict)) return false;
    }
    return true;
  }

  /// Reduces, if agree() has returned true. Blocks. Throws PeerGaveUp.
  void run() {
    constexpr std::uint64_t reduced = 1;
    const std::size_t element = reduction_.reducer.element();
    const std::size_t self = reduction_.rank();
    const bool past_caches = from_.size() >= pipeline::past_caches_least;
    if (shares_.size(self) != 0) {
      const std::size_t own = shares_.begin(self) * element;
      std::byte* const out = results_.to()->dense() + results_.own_place(own);
      std::vector<const std::byte*> operands;
      for (std::size_t rank = 0; rank < reduction_.ranks(); ++rank)
        operands.push_back(contributions_[rank] + own);
      const reduction::Reducer& reducer = reduction_.reducer;
      reduction_.member.run(trace::Stage::reduce, shares_.size(self), pipeline::grain_of(reducer),
                            [&](std::size_t begin, std::size_t end) noexcept {
                              if (!past_caches) return reducer.reduce(operands, begin, end, out);
                              reduction::reduce_in_pieces(
                                  reducer, operands, begin, end, nullptr,
                                  [out](const std::byte* piece, std::size_t at, std::size_t bytes) {
                                    layout::stream_past_caches(out + at, piece, bytes);
                                  });
                              layout::order_past_caches();
                            });
    }
    if (results_.are_given()) shared_.show(contribution, reduced);
    if (!results_.are_taken()) return;
    shared_.await_all(contribution, reduced);
    for (std::size_t step = 1; step < reduction_.ranks(); ++step) {
      const std::size_t rank = (self + step) % reduction_.ranks();
      const std::size_t at = shares_.begin(rank) * element;
      const std::byte* const from = others_[rank] + at;
      std::byte* const to = results_.to()->dense() + at;
      const auto stores = past_caches ? pipeline::Stores::streaming : pipeline::Stores::plain;
      reduction_.member.run(trace::Stage::copy, shares_.size(rank) * element, pipeline::grain,
                            [=](std::size_t begin, std::size_t end) noexcept {
                              pipeline::copy(to + begin, from + begin, end - begin, stores);
                            });
    }
  }

private:
  /// Returns whether data may be reduced where they are, as far as all ranks know without communication.
  bool may_be() const { return shm::can_map() && reduction_.reducer.has_kernel() && results_.have_places(); }

  /// Appends the addresses at which this rank reads the data of all ranks: `own` for its own data, otherwise
  /// `place(rank)`, with the same size. Returns false if any data cannot be mapped.
  template <class PlaceOf>
  bool map_all(std::vector<const std::byte*>& addresses, const Stream& own, const PlaceOf& place) {
    for (std::size_t rank = 0; rank < reduction_.ranks(); ++rank) {
      addresses.push_back(rank == reduction_.rank() ? own.dense() : map(place(rank), own.size()));
      if (addresses.back() == nullptr) return false;
    }
    return true;
  }

  /// Returns the address of `bytes` bytes at the place; nullptr if they cannot be mapped.
  const std::byte* map(const Place& place, std::size_t bytes) {
    const auto& mapping = mappings_.emplace_back(shm::Mapping::of(place.region));
    if (mapping == nullptr || place.offset > mapping->bytes() || bytes > mapping->bytes() - place.offset)
      return nullptr;
    return mapping->address() + place.offset;
  }

  SharedOperation& shared_;
  const Reduction& reduction_;
  const Stream& from_;
  const Shares& shares_;
  const Results& results_;
  std::vector<std::shared_ptr<const shm::Mapping>> mappings_;
  // Where this rank reads the data of all ranks.
  std::vector<const std::byte*> contributions_;
  std::vector<const std::byte*> others_; // results
};

/// Returns how many slots to lease, one for each round in flight: a single one if results overwrite
/// contributions of other rounds. Otherwise as many as fit into the caches of the cores that members have.
std::size_t slots_wanted(const SlotRounds& cut, const Results& results, const team::Team& team) {
  const auto members = static_cast<std::size_t>(team.at_work());
  const std::size_t in_flight =
      results.are_on_contributions() ? 1 : std::max<std::size_t>(members * shm_cico_most / cut.slot, 1);
  return std::min(in_flight, cut.rounds);
}

/// Returns how many slots to join into one, for a single round in flight. Returns 0 if several rounds must be
/// in flight: for helpers to reduce, or for ranks to pack while the only owner of shares reduces.
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
