// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <array>

#include "collective/algorithms.hpp"
#include "collective/rounds_by_messages.hpp"
#include "collective/scheduled.hpp"

namespace helper::collective {

namespace {

using ranks::Nodes;

/// The part of a share's owners, one at each node: they reduce what their nodes have reduced. A chunk has a
/// block for each node, and follows a schedule. A rank without share has empty blocks.
class BetweenNodes {
public:
  BetweenNodes(const Reduction& reduction, const RoundsByMessages& rounds, const Stream& to)
      : rounds_(rounds), to_(to), element_(reduction.reducer.element()), nodes_(reduction.shadow.nodes()),
        schedule_(schedule()), steps_(schedule_, &reduction.reducer) {}

  /// Returns the number of these stages in a round.
  std::size_t stages() const { return steps_.stages() + 1; }

  void start(RoundLane& lane, std::size_t stage) {
    if (stage == 0) locate(lane);
    if (stage < steps_.stages()) {
      steps_.start(stage, lane, buffers_[lane.index], tag(MessageKind::contribution, lane.round));
    } else {
      store(lane);
    }
  }

private:
  /// Sets the places of the blocks of a lane's piece.
  void locate(RoundLane& lane) {
    const std::size_t elements = lane.pieces.bytes(nodes_.own_index()) / element_;
    std::vector<std::size_t>& begins = begins_[lane.index];
    begins.clear();
    for (std::size_t node = 0; node <= nodes_.count(); ++node)
      begins.push_back(elements * node / nodes_.count() * element_);
    std::byte* const result = lane.piece(to_, nodes_.own_index());
    // The node's own contributions have been reduced.
    buffers_[lane.index] = {begins, lane.result, result, rounds_.received(lane)};
    lane.result = result;
  }

  void store(RoundLane& lane) const {
    const std::size_t own = nodes_.own_index();
    if (!to_.is_dense()) lane.unpack(to_, lane.pieces.offset(own), lane.pieces.bytes(own), lane.result);
  }

  /// Returns the schedule of the nodes, among the ranks that own the same share as this one, if it owns one.
  Schedule schedule() const {
    Schedule of_nodes =
        schedule_of(Operation::allreduce, Algorithm::recursive_halving, nodes_.own_node(), nodes_.count());
    const std::size_t own = nodes_.own_index();
    if (own < nodes_.fewest()) of_nodes.among([&](std::size_t node) { return nodes_.rank(node, own); });
    return of_nodes;
  }

  const RoundsByMessages& rounds_;
  const Stream& to_;
  const std::size_t element_;
  const Nodes& nodes_;
  const Schedule schedule_;
  StepsOnBlocks steps_;
  std::array<std::vector<std::size_t>, lanes> begins_; // of the blocks, by lane
  std::array<BlockBuffers, lanes> buffers_;            // by lane
};

} // namespace

void allreduce_two_level(const Reduction& reduction, const Stream& from, const Stream& to) {
  const Nodes& nodes = reduction.shadow.nodes();
  const std::vector<int> neighbours = nodes.ranks(nodes.own_node());
  const Shares even = Shares::even(reduction.elements(from), nodes.fewest());
  const Shares shares(neighbours.size(),
                      [&](std::size_t rank) { return rank < even.ranks() ? even.size(rank) : 0; });
  const Results results = Results::to_all(to);
  RoundsByMessages rounds(reduction, from, shares, results, &neighbours);
  BetweenNodes between(reduction, rounds, to);
  rounds.run(between.stages(), [&](RoundLane& lane, std::size_t stage) { between.start(lane, stage); });
}

} // namespace helper::collective
