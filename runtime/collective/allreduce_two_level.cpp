// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"

#include "collective/rounds_by_messages.hpp"

namespace helper::collective {

namespace {

using transport::Nodes;

/// Does what the owners of a share, one at each node, do with the pieces of it that their nodes have reduced:
/// each reduces a part of the piece, and gives it to the others. The functions are stages of a round, in
/// which a rank that owns no share has nothing to do.
class BetweenNodes {
public:
  BetweenNodes(const Reduction& reduction, const RoundsByMessages& rounds, const Stream& to)
      : reduction_(reduction), rounds_(rounds), to_(to), nodes_(reduction.shadow.nodes()),
        of_nodes_(lanes, std::vector<const std::byte*>(nodes_.count())) {}

  void exchange(RoundLane& lane) {
    const std::size_t mine = bytes(lane, nodes_.own_node());
    std::byte* next = rounds_.received(lane); // the node's own contributions are reduced by now
    std::vector<const std::byte*>& operands = of_nodes_[lane.index];
    operands[nodes_.own_node()] = lane.result + begin(lane, nodes_.own_node());
    for_each_other([&](std::size_t node, int owner) {
      if (mine != 0) lane.receive(next, mine, owner, tag(MessageKind::contribution, lane.round));
      operands[node] = next;
      next += mine;
      if (const std::size_t theirs = bytes(lane, node); theirs != 0)
        lane.send(lane.result + begin(lane, node), theirs, owner, tag(MessageKind::contribution, lane.round));
    });
  }

  void reduce(RoundLane& lane) const {
    const std::size_t mine = bytes(lane, nodes_.own_node());
    if (mine != 0)
      pipeline::start_reducing(reduction_.reducer, lane, of_nodes_[lane.index],
                               mine / reduction_.reducer.element(),
                               result(lane) + begin(lane, nodes_.own_node()));
  }

  void share(RoundLane& lane) const {
    lane.result = result(lane);
    const std::size_t mine = bytes(lane, nodes_.own_node());
    for_each_other([&](std::size_t node, int owner) {
      if (const std::size_t theirs = bytes(lane, node); theirs != 0)
        lane.receive(lane.result + begin(lane, node), theirs, owner, tag(MessageKind::result, lane.round));
      if (mine != 0)
        lane.send(lane.result + begin(lane, nodes_.own_node()), mine, owner,
                  tag(MessageKind::result, lane.round));
    });
  }

  void store(RoundLane& lane) const {
    const std::size_t own = nodes_.own_index();
    if (!to_.is_dense()) lane.unpack(to_, lane.pieces.offset(own), lane.pieces.bytes(own), lane.result);
  }

private:
  /// Returns where the result of the own piece comes to lie.
  std::byte* result(const RoundLane& lane) const { return lane.piece(to_, nodes_.own_index()); }

  /// Returns where the part that a node reduces begins in the own piece, in bytes; behind the last node, the
  /// piece's end.
  std::size_t begin(const RoundLane& lane, std::size_t node) const {
    const std::size_t element = reduction_.reducer.element();
    return lane.pieces.bytes(nodes_.own_index()) / element * node / nodes_.count() * element;
  }
  std::size_t bytes(const RoundLane& lane, std::size_t node) const {
    return begin(lane, node + 1) - begin(lane, node);
  }

  /// Calls `visit(node, owner)` for every other node and the rank there that owns the same share; does
  /// nothing at a rank that owns none.
  template <class Visit>
  void for_each_other(const Visit& visit) const {
    if (nodes_.own_index() >= nodes_.fewest()) return;
    for (std::size_t step = 1; step < nodes_.count(); ++step) {
      const std::size_t node = (nodes_.own_node() + step) % nodes_.count();
      visit(node, nodes_.ranks(node)[nodes_.own_index()]);
    }
  }

  const Reduction& reduction_;
  const RoundsByMessages& rounds_;
  const Stream& to_;
  const Nodes& nodes_;
  std::vector<std::vector<const std::byte*>> of_nodes_; // what nodes have of the own piece, by lane
};

} // namespace

void allreduce_two_level(const Reduction& reduction, const Stream& from, const Stream& to) {
  const Nodes& nodes = reduction.shadow.nodes();
  const std::vector<int>& neighbours = nodes.ranks(nodes.own_node());
  const Shares even = Shares::even(reduction.elements(from), nodes.fewest());
  const Shares shares(neighbours.size(),
                      [&](std::size_t rank) { return rank < even.ranks() ? even.size(rank) : 0; });
  const Results results = Results::to_all(to);
  RoundsByMessages rounds(reduction, from, shares, results,
                          {neighbours, nodes.own_index(), nodes.count(), nodes.most()});
  BetweenNodes between(reduction, rounds, to);
  rounds.run([&](RoundLane& lane) { between.exchange(lane); }, [&](RoundLane& lane) { between.reduce(lane); },
             [&](RoundLane& lane) { between.share(lane); }, [&](RoundLane& lane) { between.store(lane); });
}

} // namespace helper::collective
