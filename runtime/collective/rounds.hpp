// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <vector>

#include "collective/reduction.hpp"
#include "collective/shares.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/stores.hpp"

namespace helper::collective {

/// The state of a round in flight; see Rounds.
struct RoundLane : pipeline::Lane {
  RoundLane(team::Member& member, const Shadow& shadow, std::size_t number, const Pieces& all)
      : Lane(member, shadow), index(number), pieces(all), operands(all.ranks()) {}

  /// Returns the address of the round's piece of `rank`: in `stream` if that is contiguous, otherwise packed.
  std::byte* piece(const Stream& stream, std::size_t rank) const {
    return stream.is_dense() ? stream.dense() + pieces.offset(rank) : packed + pieces.begin(rank);
  }

  std::size_t index; // among the lanes
  std::size_t round = 0;
  Pieces pieces;
  std::byte* packed = nullptr;            // packed contributions, one rank's piece after the other
  std::vector<const std::byte*> operands; // to the own piece, by rank
  std::byte* result = nullptr;            // of the own piece, for the others
};

/// Reduces many elements in rounds, several in flight. In each round every rank gives every other rank its
/// contribution to the next piece of that rank's share. It reduces the next piece of its own share with the
/// team, and gives the result to the ranks that want it. So every element is reduced once, in rank order.
/// With shared results it is a reduce or an allreduce, otherwise a reduce-scatter.
///
/// Derived classes decide how ranks exchange data: by messages, or in shared memory.
class Rounds {
public:
  virtual ~Rounds() = default;
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

protected:
  /// The contributions are all of `from`; this rank has share `self`. If ranks `copy`, others read the lanes'
  /// memory only, and all data are copied there, with `stores`. Arguments must outlive the object.
  Rounds(const Reduction& reduction, const Stream& from, const Results& results, std::size_t self, bool copy,
         pipeline::Stores stores = pipeline::Stores::plain)
      : reduction_(reduction), from_(from), results_(results), self_(self), copies_(copy), stores_(stores),
        packs_own_(!from.is_dense() || results.are_on_contributions()) {}

  /// Runs all rounds. `between(lane, stage)` starts each of `stages` stages between the reduction and the
  /// sharing of results. Blocks, lending the caller. Throws MpiError and PeerGaveUp.
  template <class Between>
  void run(std::vector<RoundLane>& in_flight, std::size_t rounds, std::size_t stages, const Between& between);
  void run(std::vector<RoundLane>& in_flight, std::size_t rounds) {
    run(in_flight, rounds, 0, [](RoundLane&, std::size_t) {});
  }

  const Reduction& reduction_;
  const Stream& from_;
  const Results& results_;
  const std::size_t self_;

private:
  // Functions for the current round of a lane. Each starts work for which the lane then waits.

  /// Waits until the lane's memory may be written. A class whose memory others read overrides this and end().
  virtual void begin(RoundLane&) {}

  /// Gives the others their contributions, packed in the lane or contiguous, and gets the operands of the own
  /// piece. Determines where the result is made or, if the ranks do not copy, may be made.
  virtual void exchange(RoundLane& lane) = 0;

  /// Gives the own result to the ranks that take it, and gets the others' if this rank takes them.
  virtual void share(RoundLane& lane) = 0;

  /// Returns the results of a rank, in memory that has the layout of the packed pieces; nullptr if all
  /// results are in their final places. Any thread may call it.
  virtual const std::byte* results(const RoundLane& lane, std::size_t rank) const noexcept = 0;

  /// This rank needs nothing more of the round. By default the memory is always free, so nobody is told.
  virtual void end(RoundLane&) {}

  void pack(RoundLane& lane) const;
  void reduce(RoundLane& lane) const;
  void take(RoundLane& lane) const;

  void pack_pieces(const RoundLane& lane, std::size_t begin, std::size_t end) const noexcept;
  void reduce_piece(const RoundLane& lane, std::size_t begin, std::size_t end) const;
  void reduce_and_copy(const RoundLane& lane, std::size_t begin, std::size_t end) const noexcept;
  void store_results(const RoundLane& lane, std::size_t begin, std::size_t end) const noexcept;

  /// Returns the place of the own piece's result in the user's buffer.
  std::size_t own_place(const RoundLane& lane) const noexcept {
    return results_.own_place(lane.pieces.offset(self_) - lane.pieces.before()) + lane.pieces.before();
  }

  const bool copies_;
  const pipeline::Stores stores_;
  const bool packs_own_; // since the own contributions cannot be reduced in place
};

template <class Between>
void Rounds::run(std::vector<RoundLane>& in_flight, std::size_t rounds, std::size_t stages,
                 const Between& between) {
  constexpr std::size_t before = 4; // stages
  constexpr std::size_t behind = 3;
  pipeline::Flow flow(in_flight.size(), rounds, before + stages + behind);
  const auto start = [&](std::size_t stage, RoundLane& lane, std::size_t round) {
    if (stage >= before && stage < before + stages) return between(lane, stage - before);
    switch (stage < before ? stage : stage - stages) {
    case 0:
      lane.round = round;
      lane.pieces.start(round);
      return begin(lane);
    case 1:
      return pack(lane);
    case 2:
      return exchange(lane);
    case 3:
      return reduce(lane);
    case 4:
      return share(lane);
    case 5:
      return take(lane);
    default:
      return end(lane);
    }
  };
  pipeline::finish(reduction_.operation, in_flight, flow, start);
}

} // namespace helper::collective
