// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "collective/rounds.hpp"
#include "collective/selection.hpp"
#include "pipeline/staging.hpp"

namespace helper::collective {

/// Rounds in which ranks exchange data by messages on a shadow communicator.
class RoundsByMessages final : public Rounds {
public:
  /// All ranks reduce together; with `of_node`, the ranks of this node, they do, and a schedule reduces the
  /// results of the nodes. The shares are for the ranks in that order. All arguments must outlive the object.
  RoundsByMessages(const Reduction& reduction, const Stream& from, const Shares& shares,
                   const Results& results, const std::vector<int>* of_node = nullptr);

  /// Runs all rounds, with the stages `between`; see Rounds.
  template <class Between>
  void run(std::size_t stages, const Between& between);
  void run() {
    run(0, [](RoundLane&, std::size_t) {});
  }

  /// Returns where others' contributions to the own piece arrive, one after the other.
  std::byte* received(const RoundLane& lane) const { return lane.packed + packed_bytes(); }

private:
  void exchange(RoundLane& lane) override;
  void share(RoundLane& lane) override;
  const std::byte* results(const RoundLane& lane, std::size_t rank) const noexcept override;

  int rank_of(std::size_t peer) const {
    return of_node_ == nullptr ? static_cast<int>(peer) : (*of_node_)[peer];
  }
  template <class Visit>
  void for_each_peer(const Visit& visit) const;
  std::size_t received_bytes() const;
  std::size_t packed_bytes() const;

  const Shares& shares_;
  const std::vector<int>* const of_node_;
  const std::size_t groups_; // nodes, if their results are reduced
  const std::size_t element_;
  const std::size_t piece_; // elements, except in the last pieces of shares
};

template <class Between>
void RoundsByMessages::run(std::size_t stages, const Between& between) {
  const std::size_t rounds = (shares_.largest() + piece_ - 1) / piece_;
  // Only one round is in flight if results arrive on contributions: those of the round itself, which have
  // been sent by then, and those of earlier rounds.
  const std::size_t most = results_.are_on_contributions() ? 1 : lanes;
  pipeline::Staging staging(std::max<std::size_t>(received_bytes() + packed_bytes(), 1),
                            std::min(most, rounds), reduction_.shadow);
  std::vector<RoundLane> in_flight;
  for (std::size_t index = 0; index < staging.count(); ++index) {
    in_flight.emplace_back(reduction_.member, reduction_.shadow, index, Pieces(shares_, element_, piece_));
    in_flight.back().packed = staging[index];
  }
  Rounds::run(in_flight, rounds, stages, between);
}

} // namespace helper::collective
