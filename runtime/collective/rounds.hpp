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

  std::size_t index; // among the lanes
  std::size_t round = 0;
  Pieces pieces;
  std::byte* packed = nullptr;            // packed contributions, one rank's piece after the other
  std::vector<const std::byte*> operands; // contributions to the own piece, by rank
  std::byte* result = nullptr;            // of the own piece, where other ranks read it
};

/// Reduces many elements in rounds, several in flight, in memory that ranks share. In each round every rank
/// gives every other rank its contribution to the next piece of that rank's share. It reduces the next piece
/// of its own share with the team, and gives the result to the ranks that want it. So every element is
/// reduced once, in rank order.
///
/// Derived classes decide how ranks learn of each other's progress.
class Rounds {
public:
  virtual ~Rounds() = default;
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

protected:
  /// `from` has this rank's contributions. Writes the memory of lanes, which other ranks read, with `stores`.
  /// Arguments must outlive the object.
  Rounds(const Reduction& reduction, const Stream& from, const Results& results,
         pipeline::Stores stores = pipeline::Stores::plain)
      : reduction_(reduction), from_(from), results_(results), self_(reduction.rank()), stores_(stores),
        packs_own_(!from.is_dense() || results.are_on_contributions()) {}

  /// Runs all rounds. Blocks, lending the caller. Throws MpiError and PeerGaveUp.
  void run(std::vector<RoundLane>& in_flight, std::size_t rounds);

  const Reduction& reduction_;
  const Stream& from_;
  const Results& results_;
  const std::size_t self_;

private:
  // Functions for the current round of a lane. Each starts work for which the lane then waits.

  /// Waits until the lane's memory may be written.
  virtual void begin(RoundLane& lane) = 0;

  /// Gives other ranks the contributions to their pieces, packed in the lane, and gets those to the own piece
  /// as operands. Sets where its result is made.
  virtual void exchange(RoundLane& lane) = 0;

  /// Gives the own result to the ranks that take it, and gets the results of others if this rank takes them.
  virtual void share(RoundLane& lane) = 0;

  /// Returns the results of a rank, in memory that has the layout of the packed pieces. Any thread may call
  /// it.
  virtual const std::byte* results(const RoundLane& lane, std::size_t rank) const noexcept = 0;

  /// Tells other ranks that this rank reads nothing more of the round.
  virtual void end(RoundLane& lane) = 0;

  void pack(RoundLane& lane) const;
  void reduce(RoundLane& lane) const;
  void take(RoundLane& lane) const;

  void reduce_and_copy(const RoundLane& lane, std::size_t begin, std::size_t end) const noexcept;

  /// Returns the place of the own piece's result in the user's buffer.
  std::size_t own_place(const RoundLane& lane) const noexcept {
    return results_.own_place(lane.pieces.offset(self_) - lane.pieces.before()) + lane.pieces.before();
  }

  const pipeline::Stores stores_;
  const bool packs_own_; // packs contributions to the own piece, which cannot be read in place
};

} // namespace helper::collective
