// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <optional>
#include <vector>

#include "collective/algorithms.hpp"
#include "collective/moves.hpp"
#include "collective/scheduled.hpp"
#include "lifetime/thread_block.hpp"

namespace helper::collective {

namespace {

/// The blocks of a schedule, with a stream for each part of the buffer. A part without elements has no
/// stream. It has bytes if the rank only passes the block on.
class BlockParts {
public:
  /// `is_read(block)` returns whether the contents of a part are read.
  template <class IsRead>
  BlockParts(const std::vector<Part>& parts, const IsRead& is_read, const Shadow& shadow)
      : shares_(parts.size(), [&](std::size_t block) { return parts[block].bytes; }), streams_(parts.size()) {
    for (std::size_t block = 0; block < parts.size(); ++block) {
      const Part& part = parts[block];
      if (part.bytes != 0 && part.count != 0)
        streams_[block].emplace(part.address(), part.count, part.type, shadow, is_read(block));
    }
  }

  const Shares& shares() const { return shares_; }
  const Stream& operator[](std::size_t block) const { return *streams_[block]; }

  /// Returns the start of all parts if they are contiguous, one after the other; otherwise nullptr.
  std::byte* dense() const {
    std::byte* first = nullptr;
    std::byte* next = nullptr;
    for (std::size_t block = 0; block < streams_.size(); ++block) {
      const std::optional<Stream>& stream = streams_[block];
      if (shares_.size(block) == 0) continue;
      if (!stream || !stream->is_dense() || (next != nullptr && stream->dense() != next)) return nullptr;
      if (first == nullptr) first = stream->dense();
      next = stream->dense() + stream->size();
    }
    return first;
  }

  /// Let the team pack a lane's pieces, or unpack them. store() leaves out the pieces of the block `own`.
  void pack(BlockLane& lane) const {
    for_each_piece(lane, trace::Stage::pack,
                   [](const Stream& stream, std::size_t begin, std::size_t end, std::byte* packed) noexcept {
                     stream.pack(begin, end, packed);
                   });
  }
  void store(BlockLane& lane, std::size_t own) const {
    for_each_piece(lane, trace::Stage::unpack,
                   [own = streams_[own] ? &*streams_[own] : nullptr](const Stream& stream, std::size_t begin,
                                                                     std::size_t end,
                                                                     const std::byte* packed) noexcept {
                     if (&stream != own) stream.unpack(begin, end, packed);
                   });
  }
  void store_back() const {
    for (const std::optional<Stream>& stream : streams_) {
      if (stream) stream->store_back();
    }
  }

private:
  /// Offers `each(stream, begin, end, packed)` for each piece of a stream, which is packed at `packed`.
  template <class Each>
  void for_each_piece(BlockLane& lane, trace::Stage stage, const Each& each) const {
    lane.offer_parts(stage,
                     [this, each, all = lane.buffers.partial](std::size_t block, std::size_t at,
                                                              std::size_t bytes, std::size_t first) noexcept {
                       const std::size_t in_part = at - shares_.begin(block);
                       each(*streams_[block], in_part, in_part + bytes, all + first);
                     });
  }

  const Shares shares_;
  std::vector<std::optional<Stream>> streams_;
};

/// Cuts blocks of the sizes `shares` into rounds of at most `chunk` bytes. Over all ranks, `blocks` of them
/// are not empty. The cuts must not depend on layouts, which may differ between ranks.
Pieces pieces_of(const Shares& shares, std::size_t blocks, std::size_t chunk) {
  return Pieces(shares, 1, std::max<std::size_t>(chunk / blocks, 1));
}

std::vector<Part> in_order(const RankOrder& order, const std::vector<Part>& parts) {
  std::vector<Part> ordered;
  for (std::size_t number = 0; number < parts.size(); ++number)
    ordered.push_back(parts[static_cast<std::size_t>(order.rank(number))]);
  return ordered;
}

std::vector<Part> rotated(std::size_t first, std::vector<Part> parts) {
  std::rotate(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end());
  return parts;
}

/// Gathers small data, equally much from each rank, with Bruck's algorithm, without pieces and lanes.
void allgather_short(const Moves& moves, team::Member& member, const Shadow& shadow) {
  const std::size_t bytes = moves.in[0].bytes; // of a block
  if (bytes == 0) return;
  const RankOrder order(Operation::allgather, Algorithm::bruck, shadow);
  const Schedule& schedule = schedule_of(Operation::allgather, Algorithm::bruck, shadow);
  const Part& first = moves.in[0];
  Stream to(first.address(), shadow.size() * first.count, first.type, shadow, true);
  lifetime::ThreadBlock<short_most> blocks; // starting with this rank's
  const std::size_t own = static_cast<std::size_t>(shadow.rank()) * bytes;
  to.pack(own, own + bytes, blocks.data());
  const ScheduledOperation operation{moves.name, member, shadow, schedule, nullptr, MessageKind::move};
  operation.run_short({.contributed = blocks.data(), .partial = blocks.data()}, bytes);
  order.for_each_behind([&](std::size_t rank, std::size_t count, std::size_t behind) {
    to.unpack(rank * bytes, (rank + count) * bytes, blocks.data() + behind * bytes);
  });
  to.store_back();
}

/// Returns the blocks that pass through a rank other than the root of a gather or scatter along a tree.
BlockRun subtree(const Schedule& schedule, Operation operation) {
  for (const ScheduleStep& step : schedule.steps()) {
    const BlockRun& run = operation == Operation::gather ? step.out : step.in;
    if (run.count != 0) return run;
  }
  return {};
}

/// Returns the parts that pass through a rank of the tree, with blocks numbered from `root` on. At the root
/// `parts` has all parts, elsewhere the own part in the root's place. The root's part passes through no rank.
std::vector<Part> parts_of_tree(const Schedule& schedule, Operation operation, std::size_t root,
                                const std::vector<Part>& parts) {
  const std::size_t own = schedule.block();
  if (own == 0) {
    std::vector<Part> all = rotated(root, parts);
    all[0] = {};
    return all;
  }
  std::vector<Part> all(parts.size());
  const BlockRun passing = subtree(schedule, operation);
  for (std::size_t block = own; block < own + passing.count; ++block) all[block].bytes = parts[root].bytes;
  all[own] = parts[root];
  return all;
}

/// Runs the operation on the blocks of `parts`, in chunks. Over all ranks, `blocks` of them are not empty.
/// Contiguous parts are sent in place. For others `pack(lane)` fills staging and `store(lane)` empties it.
template <class Pack, class Store>
void move_parts(const ScheduledOperation& operation, const BlockParts& parts, std::size_t blocks,
                ScheduledChunks chunks, const Pack& pack, const Store& store) {
  if (parts.shares().total() == 0) return;
  const Pieces pieces = pieces_of(parts.shares(), blocks, chunks.bytes);
  std::byte* const dense = pieces.lie_together() ? parts.dense() : nullptr;
  operation.run(
      pieces, dense == nullptr, chunks.lanes,
      [&](BlockLane& lane) {
        if (dense != nullptr) lane.buffers.partial = dense;
        lane.buffers.contributed = lane.buffers.partial;
        if (dense == nullptr) pack(lane);
      },
      [&](BlockLane& lane) {
        if (dense == nullptr) store(lane);
      });
}

} // namespace

void move_along_tree(const Moves& moves, Algorithm algorithm, team::Member& member, const Shadow& shadow) {
  const auto ranks = static_cast<std::size_t>(shadow.size());
  const auto root = static_cast<std::size_t>(moves.root);
  const std::size_t own = (static_cast<std::size_t>(shadow.rank()) + ranks - root) % ranks; // in the tree
  Schedule schedule = schedule_of(moves.operation, algorithm, own, ranks);
  schedule.among([&](std::size_t rank) { return (root + rank) % ranks; });
  const bool is_root = own == 0;
  // Whether the parts receive data, rather than provide data.
  const bool is_taken = is_root == (moves.operation == Operation::gather);
  const BlockParts parts(
      parts_of_tree(schedule, moves.operation, root, is_taken ? moves.in : moves.out),
      [is_taken](std::size_t) { return !is_taken; }, shadow);
  move_parts(
      {moves.name, member, shadow, schedule, nullptr, MessageKind::move}, parts, ranks,
      scheduled_chunks(moves.operation, shadow.chunk(), ranks, 0),
      [&](BlockLane& lane) {
        if (is_taken) return;
        if (is_root) return parts.pack(lane);
        lane.pack(parts[own], lane.pieces.before(), lane.pieces.bytes(own), lane.buffers.partial);
      },
      [&](BlockLane& lane) {
        if (!is_taken) return;
        if (is_root) return parts.store(lane, own);
        lane.unpack(parts[own], lane.pieces.before(), lane.pieces.bytes(own), lane.buffers.partial);
      });
  if (is_taken) parts.store_back();
}

void allgather_by_schedule(const Moves& moves, Algorithm algorithm, team::Member& member,
                           const Shadow& shadow) {
  if (algorithm == Algorithm::bruck && moves.operation == Operation::allgather &&
      moves.in[0].bytes * moves.in.size() <= std::min(short_most, shadow.chunk()))
    return allgather_short(moves, member, shadow);
  const RankOrder order(Operation::allgather, algorithm, shadow);
  const Schedule& schedule = schedule_of(Operation::allgather, algorithm, shadow);
  const std::size_t first = algorithm == Algorithm::bruck ? schedule.block() : 0;
  const std::size_t own = schedule.block() - first;
  const BlockParts parts(
      rotated(first, in_order(order, moves.in)), [own](std::size_t block) { return block == own; }, shadow);
  move_parts(
      {moves.name, member, shadow, schedule, nullptr, MessageKind::move}, parts, parts.shares().owners(),
      scheduled_chunks(Operation::allgather, shadow.chunk(), parts.shares().ranks(), parts.shares().total()),
      [&](BlockLane& lane) {
        if (const std::size_t bytes = lane.pieces.bytes(own); bytes != 0)
          lane.pack(parts[own], lane.pieces.before(), bytes, lane.buffers.partial + lane.pieces.begin(own));
      },
      [&](BlockLane& lane) { parts.store(lane, own); });
  parts.store_back();
}

void alltoall_bruck(const Moves& moves, team::Member& member, const Shadow& shadow) {
  const auto ranks = static_cast<std::size_t>(shadow.size());
  const auto rank = static_cast<std::size_t>(shadow.rank());
  std::vector<Part> out = rotated(rank, moves.out);
  std::vector<Part> in = rotated((rank + 1) % ranks, moves.in);
  std::ranges::reverse(in); // from the rank itself, and then from lower ranks
  out[0] = in[0] = {};      // the own part is in its place
  const BlockParts from(
      out, [](std::size_t) { return true; }, shadow);
  const BlockParts to(
      in, [](std::size_t) { return false; }, shadow);
  if (from.shares().total() != to.shares().total()) throw ranks::MpiError(shadow.user(), MPI_ERR_TRUNCATE);
  if (to.shares().total() == 0) return;
  const Schedule schedule = schedule_of(Operation::alltoall, Algorithm::bruck, rank, ranks);
  const Pieces pieces = pieces_of(to.shares(), to.shares().owners(), scheduled_chunk(shadow.chunk(), ranks));
  const ScheduledOperation operation{moves.name, member, shadow, schedule, nullptr, MessageKind::move};
  operation.run(
      pieces, true, lanes,
      [&](BlockLane& lane) {
        lane.buffers.contributed = lane.buffers.partial;
        from.pack(lane);
      },
      [&](BlockLane& lane) { to.store(lane, 0); });
  to.store_back();
}

} // namespace helper::collective
