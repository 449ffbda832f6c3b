// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <vector>

#include "collective/channel.hpp"
#include "collective/reduction.hpp"
#include "collective/results.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/stores.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

/// Reduces many elements in rounds, several in flight, over a channel. In each round every rank gives every
/// other its contribution to the next piece of that one's share, reduces the next piece of its own share with
/// the team's help, and gives the result to those that want it. So every element is reduced once, in rank
/// order. This makes a reduce-scatter, or, with the sharing of results, a reduce or an allreduce.
class Rounds {
public:
  /// The contributions are all of `from`, and this rank has share `self`. All arguments must outlive the
  /// object.
  Rounds(const Reduction& reduction, const pipeline::Stream& from, const Results& results, std::size_t self,
         Channel& channel, pipeline::Stores stores = pipeline::Stores::plain)
      : reduction_(reduction), from_(from), results_(results), self_(self), channel_(channel),
        stores_(stores), packs_own_(!from.is_dense() || results.are_on_contributions()) {}

  /// Runs all rounds. `between`, callables (RoundLane&), are stages between the reduction and the sharing of
  /// results. Blocks, lending the caller; throws MpiError and PeerGaveUp.
  template <class... Stages>
  void run(std::vector<RoundLane>& in_flight, std::size_t rounds, const Stages&... between) const;

private:
  void begin(RoundLane& lane, std::size_t round) const;
  void pack(RoundLane& lane) const;
  void reduce(RoundLane& lane) const;
  void take(RoundLane& lane) const;

  void pack_pieces(const RoundLane& lane, std::size_t begin, std::size_t end) const noexcept;
  void reduce_piece(const RoundLane& lane, std::size_t begin, std::size_t end) const;
  void reduce_and_copy(const RoundLane& lane, std::size_t begin, std::size_t end) const noexcept;
  void store_results(const RoundLane& lane, std::size_t begin, std::size_t end) const noexcept;

  /// Returns where the result of the own piece belongs in the user's buffer.
  std::size_t own_place(const RoundLane& lane) const noexcept {
    return results_.own_place(lane.pieces.offset(self_) - lane.pieces.before()) + lane.pieces.before();
  }

  const Reduction& reduction_;
  const pipeline::Stream& from_;
  const Results& results_;
  const std::size_t self_;
  Channel& channel_;
  const pipeline::Stores stores_;
  const bool packs_own_; // since the own contributions cannot be reduced from where they are
};

template <class... Stages>
void Rounds::run(std::vector<RoundLane>& in_flight, std::size_t rounds, const Stages&... between) const {
  pipeline::run(
      reduction_.operation, in_flight, rounds,
      [this](RoundLane& lane, std::size_t round) { begin(lane, round); },
      [this](RoundLane& lane, std::size_t) { pack(lane); },
      [this](RoundLane& lane, std::size_t) { channel_.exchange(lane); },
      [this](RoundLane& lane, std::size_t) { reduce(lane); },
      [&](RoundLane& lane, std::size_t) { between(lane); }...,
      [this](RoundLane& lane, std::size_t) { channel_.share(lane); },
      [this](RoundLane& lane, std::size_t) { take(lane); },
      [this](RoundLane& lane, std::size_t) { channel_.end(lane); });
}

} // namespace helper::collective
