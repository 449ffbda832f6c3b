// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <vector>

#include "collective/pieces.hpp"
#include "collective/reduction.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

/// This is the state of a round in flight; see Rounds.
struct RoundLane : pipeline::Lane {
  RoundLane(team::Member& member, const transport::Shadow& shadow, std::size_t number, const Pieces& all)
      : Lane(member, shadow), index(number), pieces(all), operands(all.ranks()) {}

  /// Returns where the round's piece of `rank` lies: in `stream` if that is dense, otherwise packed.
  std::byte* piece(const pipeline::Stream& stream, std::size_t rank) const {
    return stream.is_dense() ? stream.dense() + pieces.offset(rank) : packed + pieces.begin(rank);
  }

  std::size_t index; // among the lanes
  std::size_t round = 0;
  Pieces pieces;
  std::byte* packed = nullptr; // where contributions are packed, one rank's piece behind the other's
  std::vector<const std::byte*> operands; // to the own piece, by rank
  std::byte* result = nullptr;            // of the own piece, as others get it
};

/// A channel is how ranks that reduce together give one another what they have: by messages, or in memory
/// that they share. All functions are about the round that a lane is at, and start what the lane then waits
/// for.
class Channel {
public:
  virtual ~Channel() = default;

  /// Tells whether others read what this rank gives them in the lane's memory alone, so that even what is
  /// dense is copied there. Any thread may call it.
  virtual bool copies() const noexcept = 0;

  /// Waits until the lane's memory may be written.
  virtual void begin(RoundLane& lane) = 0;

  /// Gives the others the contributions to their pieces, which are packed in the lane or dense, and gets
  /// theirs to the own one, the operands. Says where the result is to be made, or, if the channel does not
  /// copy, may be made.
  virtual void exchange(RoundLane& lane) = 0;

  /// Gives the own result to those that take it, and gets the others' if this rank does.
  virtual void share(RoundLane& lane) = 0;

  /// Returns where the results of a rank are, in memory that is laid out as the packed pieces are; nullptr if
  /// all ranks' results are where they belong. Any thread may call it.
  virtual const std::byte* results(const RoundLane& lane, std::size_t rank) const noexcept = 0;

  /// Says that this rank needs nothing more of the round.
  virtual void end(RoundLane& lane) = 0;

protected:
  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
};

} // namespace helper::collective
