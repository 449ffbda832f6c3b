// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "collective/cost.hpp"
#include "collective/dispatch.hpp"
#include "collective/partial.hpp"
#include "lifetime/thread_block.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/staging.hpp"

namespace helper::collective {

namespace {

using pipeline::Lane;
using pipeline::Staging;

/// The neighbours of a rank in the tree that the chunks travel down. `parent` is -1 at the root.
struct Tree {
  int parent = -1;
  std::vector<int> children;
};

/// Functions that return the place of a rank in a tree of `size` ranks. Ranks are relative to the root.
using TreeShape = Tree (*)(int rank, int size);

Tree in_chain(int rank, int size) {
  Tree tree;
  if (rank > 0) tree.parent = rank - 1;
  if (rank + 1 < size) tree.children.push_back(rank + 1);
  return tree;
}

Tree in_binomial_tree(int rank, int size) {
  Tree tree;
  if (rank > 0) tree.parent = rank & (rank - 1);
  const int lowest_bit = rank > 0 ? rank & -rank : size;
  int bit = 1;
  while (bit < lowest_bit && rank + bit < size) bit *= 2;
  for (bit /= 2; bit > 0; bit /= 2) tree.children.push_back(rank + bit); // the largest subtree comes first
  return tree;
}

Tree tree_for(const Shadow& shadow, int root, TreeShape shape) {
  const int size = shadow.size();
  Tree tree = shape((shadow.rank() - root + size) % size, size);
  const auto absolute = [&](int rank) { return (rank + root) % size; };
  if (tree.parent >= 0) tree.parent = absolute(tree.parent);
  std::ranges::transform(tree.children, tree.children.begin(), absolute);
  return tree;
}

struct BcastLane : Lane {
  using Lane::Lane;
  std::byte* packed = nullptr; // the chunk's bytes: in place, or in the lane's staging buffer
};

void send_down(const Tree& tree, const pipeline::Chunks& chunks, team::Member& member, const Shadow& shadow,
               const Stream& stream) {
  const bool in_place = stream.is_dense();

  const std::size_t wanted = std::min(lanes, chunks.count());
  Staging staging(in_place ? 0 : std::min(chunks.bytes(), stream.size()), wanted, shadow);
  std::vector<BcastLane> in_flight;
  for (std::size_t lane = 0; lane < (in_place ? wanted : staging.count()); ++lane) {
    in_flight.emplace_back(member, shadow).packed = in_place ? nullptr : staging[lane];
  }

  const auto locate = [&](BcastLane& lane, std::size_t chunk) {
    if (in_place) lane.packed = stream.dense() + chunks.begin(chunk);
  };
  const auto pack = [&](BcastLane& lane, std::size_t chunk) {
    locate(lane, chunk);
    if (in_place) return;
    lane.pack(stream, chunks.begin(chunk), chunks.size(chunk), lane.packed);
  };
  const auto receive = [&](BcastLane& lane, std::size_t chunk) {
    locate(lane, chunk);
    lane.receive(lane.packed, chunks.size(chunk), tree.parent, tag(MessageKind::bcast, chunk));
  };
  const auto send = [&](BcastLane& lane, std::size_t chunk) {
    for (int child : tree.children)
      lane.send(lane.packed, chunks.size(chunk), child, tag(MessageKind::bcast, chunk));
  };
  const auto forward_and_unpack = [&](BcastLane& lane, std::size_t chunk) {
    send(lane, chunk);
    if (in_place) return;
    lane.unpack(stream, chunks.begin(chunk), chunks.size(chunk), lane.packed);
  };

  if (tree.parent < 0) {
    pipeline::run("MPI_Bcast", in_flight, chunks.count(), pack, send);
  } else {
    pipeline::run("MPI_Bcast", in_flight, chunks.count(), receive, forward_and_unpack);
  }
}

} // namespace

void bcast_pipelined_tree(team::Member& member, const Shadow& shadow, const Stream& stream, int root) {
  send_down(tree_for(shadow, root, in_binomial_tree), {stream.size(), shadow.chunk()}, member, shadow,
            stream);
}

void bcast_chain(team::Member& member, const Shadow& shadow, const Stream& stream, int root) {
  const std::size_t chunk = chain_chunk(situation(shadow, stream.size()));
  send_down(tree_for(shadow, root, in_chain), {stream.size(), chunk}, member, shadow, stream);
}

void bcast_binomial(team::Member& member, const Shadow& shadow, const Stream& stream, int root) {
  lifetime::ThreadBlock<short_most> staging;
  std::byte* const packed = stream.is_dense() ? stream.dense() : staging.data();
  const auto exchange = [&](Outgoing out, Incoming in) {
    transfer("MPI_Bcast", member, shadow, out, in, stream.size(), MessageKind::bcast);
  };
  const Tree tree = tree_for(shadow, root, in_binomial_tree);
  if (tree.parent >= 0) {
    exchange({}, {packed, tree.parent});
  } else if (!stream.is_dense()) {
    stream.pack(0, stream.size(), packed);
  }
  for (int child : tree.children) exchange({packed, child}, {});
  if (tree.parent >= 0 && !stream.is_dense()) stream.unpack(0, stream.size(), packed);
}

} // namespace helper::collective
