// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/allreduce_two_level.hpp"

#include <algorithm>

#include "collective/rounds.hpp"
#include "collective/selection.hpp"

namespace helper::collective {

namespace {

using pipeline::Stream;
using transport::Nodes;

/// What the owners of a share, one at each node, do with the pieces of it that their nodes have reduced: each
/// reduces a part of the piece, and gives it to the others. The stages of a round, where a rank that owns no
/// share has nothing to do.
class BetweenNodes {
public:
  BetweenNodes(const Reduction& reduction, const Rounds& rounds, const Stream& to)
      : reduction_(reduction), rounds_(rounds), to_(to), nodes_(reduction.shadow.nodes()) {}

  /// Where the result of the own piece comes.
  std::byte* result(const RoundLane& lane) const { return rounds_.piece(to_, lane, nodes_.own_index()); }

  void exchange(RoundLane& lane) const {
    const std::size_t mine = bytes(lane, nodes_.own_node());
    std::byte* next = lane.received; // the node's own contributions are reduced by now
    lane.of_nodes.resize(nodes_.count());
    lane.of_nodes[nodes_.own_node()] = lane.result + begin(lane, nodes_.own_node());
    for_each_other([&](std::size_t node, int owner) {
      if (mine != 0) lane.receive(next, mine, owner, tag(Message::contribution, lane.round));
      lane.of_nodes[node] = next;
      next += mine;
      if (const std::size_t theirs = bytes(lane, node); theirs != 0)
        lane.send(lane.result + begin(lane, node), theirs, owner, tag(Message::contribution, lane.round));
    });
  }

  void reduce(RoundLane& lane) const {
    const std::size_t mine = bytes(lane, nodes_.own_node());
    if (mine == 0) return;
    lane.reduce = {&reduction_.reducer, lane.of_nodes, result(lane) + begin(lane, nodes_.own_node())};
    lane.reduce.start(lane, mine / reduction_.reducer.element());
  }

  void share(RoundLane& lane) const {
    lane.result = result(lane);
    const std::size_t mine = bytes(lane, nodes_.own_node());
    for_each_other([&](std::size_t node, int owner) {
      if (const std::size_t theirs = bytes(lane, node); theirs != 0)
        lane.receive(lane.result + begin(lane, node), theirs, owner, tag(Message::result, lane.round));
      if (mine != 0)
        lane.send(lane.result + begin(lane, nodes_.own_node()), mine, owner,
                  tag(Message::result, lane.round));
    });
  }

private:
  /// Where the part that a node reduces begins in the own piece, in bytes; behind the last, the piece's end.
  std::size_t begin(const RoundLane& lane, std::size_t node) const {
    const std::size_t element = reduction_.reducer.element();
    return rounds_.bytes(lane, nodes_.own_index()) / element * node / nodes_.count() * element;
  }
  std::size_t bytes(const RoundLane& lane, std::size_t node) const {
    return begin(lane, node + 1) - begin(lane, node);
  }

  /// Calls `visit(node, owner)` for every other node and the rank there that owns the same share; nothing at
  /// a rank that owns none.
  template <class Visit>
  void for_each_other(const Visit& visit) const {
    if (nodes_.own_index() >= nodes_.fewest()) return;
    for (std::size_t step = 1; step < nodes_.count(); ++step) {
      const std::size_t node = (nodes_.own_node() + step) % nodes_.count();
      visit(node, nodes_.ranks(node)[nodes_.own_index()]);
    }
  }

  const Reduction& reduction_;
  const Rounds& rounds_;
  const Stream& to_;
  const Nodes& nodes_;
};

} // namespace

void allreduce_two_level(const Reduction& reduction, const Stream& from, const Stream& to) {
  const Nodes& nodes = reduction.shadow.nodes();
  const std::vector<int>& neighbours = nodes.ranks(nodes.own_node());
  const Shares even = Shares::even(reduction.elements(from), nodes.fewest());
  const Shares shares(neighbours.size(),
                      [&](std::size_t rank) { return rank < even.ranks() ? even.size(rank) : 0; });
  const Rounds rounds(reduction, from, shares, {neighbours, nodes.own_index(), nodes.count(), nodes.most()});
  const BetweenNodes between(reduction, rounds, to);
  rounds.run(
      lanes, [&](RoundLane& lane) { return between.result(lane); },
      [&](RoundLane& lane) { between.exchange(lane); }, [&](RoundLane& lane) { between.reduce(lane); },
      [&](RoundLane& lane) { between.share(lane); }, [&](RoundLane& lane) { rounds.share_results(lane, to); },
      [&](RoundLane& lane) { rounds.unpack(lane, to); });
}

} // namespace helper::collective
