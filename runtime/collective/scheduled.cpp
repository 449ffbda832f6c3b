// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/scheduled.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "collective/algorithms.hpp"
#include "collective/cost.hpp"
#include "collective/dispatch.hpp"
#include "layout/copy_bytes.hpp"
#include "lifetime/of_thread.hpp"
#include "lifetime/thread_block.hpp"
#include "pipeline/stores.hpp"

namespace helper::collective {

namespace {

/// Calls `visit(block, bytes)` for each part of a run that is not empty. `block` is its first block.
template <class Visit>
void for_each_part(const Pieces& pieces, const BlockRun& run, const Visit& visit) {
  const std::span<const std::size_t> begin = pieces.begins();
  run.for_each_part(begin.size() - 1, [&](std::size_t first, std::size_t last) {
    if (begin[first] != begin[last]) visit(first, begin[last] - begin[first]);
  });
}

std::size_t bytes_of(const Pieces& pieces, const BlockRun& run) {
  std::size_t all = 0;
  for_each_part(pieces, run, [&](std::size_t, std::size_t bytes) { all += bytes; });
  return all;
}

/// Calls `visit(block, skipped, bytes, packed)` for each part of bytes [first, last) of a packed run. It
/// begins `skipped` bytes after the start of `block`, and at byte `packed` of the packed run.
template <class Visit>
void for_each_part_within(const Pieces& pieces, const BlockRun& run, std::size_t first, std::size_t last,
                          const Visit& visit) {
  std::size_t before = 0;
  for_each_part(pieces, run, [&](std::size_t block, std::size_t bytes) {
    const std::size_t from = std::clamp(first, before, before + bytes);
    const std::size_t to = std::clamp(last, before, before + bytes);
    if (from < to) visit(block, from - before, to - from, from);
    before += bytes;
  });
}

/// Packs the pieces of a round, or stores all of them, by the team.
void pack_all(BlockLane& lane, const Stream& from, std::byte* packed) {
  lane.offer_parts(trace::Stage::pack, [&from, packed](std::size_t, std::size_t at, std::size_t bytes,
                                                       std::size_t first) noexcept {
    pipeline::pack(from, at, at + bytes, packed + first, pipeline::Stores::plain);
  });
}
void store_all(BlockLane& lane, const Stream& to, const std::byte* packed) {
  lane.offer_parts(trace::Stage::unpack,
                   [&to, packed](std::size_t, std::size_t at, std::size_t bytes, std::size_t first) noexcept {
                     pipeline::store(to, at, bytes, packed + first);
                   });
}

/// Offers `copy`, which gets the arguments of for_each_part_within(), to the team for all bytes of a run.
template <class Copy>
void offer_copy(BlockLane& lane, const BlockRun& run, const Copy& copy) {
  lane.offer(trace::Stage::copy, bytes_of(lane.pieces, run), pipeline::grain,
             [pieces = &lane.pieces, run = &run, copy](std::size_t begin, std::size_t end) noexcept {
               for_each_part_within(*pieces, *run, begin, end, copy);
             });
}

/// Returns where the data that a step sends are packed: after the data that arrive in it.
std::byte* packed_out(const ScheduleStep& step, const BlockLane& lane) {
  return lane.buffers.arrived + bytes_of(lane.pieces, step.in);
}

/// Offer to pack what a step sends, or to unpack what arrives in it.
void pack(const ScheduleStep& step, BlockLane& lane) {
  offer_copy(lane, step.out,
             [&lane, to = packed_out(step, lane)](std::size_t block, std::size_t skipped, std::size_t bytes,
                                                  std::size_t packed) {
               layout::copy_bytes(to + packed, lane.partial(block) + skipped, bytes);
             });
}
void unpack(const ScheduleStep& step, BlockLane& lane) {
  offer_copy(lane, step.in,
             [&lane](std::size_t block, std::size_t skipped, std::size_t bytes, std::size_t packed) {
               layout::copy_bytes(lane.partial(block) + skipped, lane.buffers.arrived + packed, bytes);
             });
}

Schedule make_schedule(Operation operation, Algorithm algorithm, const Shadow& shadow, int root) {
  const RankOrder order(operation, algorithm, shadow);
  Schedule schedule(order.number(shadow.rank()), order.ranks(), order.distance());
  method(operation, algorithm).append(schedule.cut_into(order.blocks()), operation, order.number(root));
  schedule.among([&order](std::size_t number) { return order.rank(number); });
  return schedule;
}

ScheduledChunks chunks_of(Operation operation, Algorithm algorithm, const Shadow& shadow, std::size_t bytes) {
  return method(operation, algorithm).chunks(operation, situation(shadow, bytes), network_costs());
}

} // namespace

Schedule schedule_of(Operation operation, Algorithm algorithm, std::size_t rank, std::size_t ranks,
                     std::size_t root, std::size_t nodes) {
  Schedule schedule(rank, ranks, nodes);
  method(operation, algorithm).append(schedule, operation, root);
  return schedule;
}

const Schedule& schedule_of(Operation operation, Algorithm algorithm, const Shadow& shadow, int root) {
  const ranks::Nodes& nodes = shadow.nodes();
  const std::tuple wanted(operation, algorithm, root, shadow.rank(), shadow.size(), nodes.count(),
                          nodes.most(), nodes.is_cyclic(), nodes.are_regular());
  auto* const last =
      lifetime::of_thread<std::optional<std::pair<std::remove_const_t<decltype(wanted)>, Schedule>>>();
  if (last == nullptr) throw std::bad_alloc();
  if (!*last || (*last)->first != wanted || !nodes.are_regular()) // `wanted` identifies only regular nodes
    last->emplace(wanted, make_schedule(operation, algorithm, shadow, root));
  return (*last)->second;
}

std::size_t most_arriving(std::span<const std::span<const ScheduleStep>> groups, const Pieces& pieces) {
  std::size_t most = 0;
  for (const std::span<const ScheduleStep> steps : groups) {
    std::size_t all = 0;
    for (const ScheduleStep& step : steps) {
      if (step.in.period != 0 || step.arrival != ScheduleStep::Arrival::stored)
        all += bytes_of(pieces, step.in);
      if (step.in.period != 0) all += bytes_of(pieces, step.out);
    }
    most = std::max(most, all);
  }
  return most;
}

void ScheduledOperation::start(std::size_t stage, std::span<const ScheduleStep> steps, BlockLane& lane,
                               int label) const {
  const ScheduleStep& step = steps.front(); // the only one if messages are packed
  switch (stage) {
  case 0:
    if (step.out.period != 0) pack(step, lane);
    return;
  case 1:
    return exchange(steps, lane, label);
  default:
    if (step.in.period != 0) return unpack(step, lane);
    if (step.arrival != ScheduleStep::Arrival::stored) combine(steps, lane);
  }
}

void ScheduledOperation::copy(BlockLane& lane) const {
  const BlockRun& run = schedule.copied();
  if (run.count == 0 || lane.partial(run.first) == lane.contribution(run.first)) return;
  offer_copy(lane, run, [&lane](std::size_t block, std::size_t skipped, std::size_t bytes, std::size_t) {
    layout::copy_bytes(lane.partial(block) + skipped, lane.contribution(block) + skipped, bytes);
  });
}

void ScheduledOperation::exchange(std::span<const ScheduleStep> steps, BlockLane& lane, int label) {
  for (const ScheduleStep& step : steps) {
    const int to = static_cast<int>(step.to);
    if (step.out.period != 0) {
      lane.send(packed_out(step, lane), bytes_of(lane.pieces, step.out), to, label);
      continue;
    }
    for_each_part(lane.pieces, step.out, [&](std::size_t block, std::size_t bytes) {
      lane.send(step.sends_contribution ? lane.contribution(block) : lane.partial(block), bytes, to, label);
    });
  }
  std::byte* next = lane.buffers.arrived;
  for (const ScheduleStep& step : steps) {
    const int from = static_cast<int>(step.from);
    if (step.in.period != 0) lane.receive(next, bytes_of(lane.pieces, step.in), from, label);
    if (step.in.period == 0)
      for_each_part(lane.pieces, step.in, [&](std::size_t block, std::size_t bytes) {
        const bool is_stored = step.arrival == ScheduleStep::Arrival::stored;
        lane.receive(is_stored ? lane.partial(block) : std::exchange(next, next + bytes), bytes, from, label);
      });
  }
}

/// Starts to reduce the blocks that have arrived with this rank's data of the same blocks.
void ScheduledOperation::combine(std::span<const ScheduleStep> steps, BlockLane& lane) const {
  const BlockRun& run = steps.front().in;
  const std::size_t bytes = bytes_of(lane.pieces, run);
  if (bytes == 0) return;
  if (steps.size() > 1) { // in the order of ranks
    const std::byte* const arrived = lane.buffers.arrived;
    const auto rank = [=](const std::byte* operand) {
      return steps[static_cast<std::size_t>(operand - arrived) / bytes].from;
    };
    std::vector<const std::byte*>& operands = lane.operands;
    operands.clear();
    for (std::size_t step = 0; step < steps.size(); ++step) operands.push_back(arrived + step * bytes);
    std::ranges::sort(operands, {}, rank);
    operands.insert(std::ranges::lower_bound(operands, schedule.rank(), {}, rank),
                    lane.contribution(run.first));
  }
  pipeline::start_reducing(
      *reducer, lane, bytes / reducer->element(),
      [this, steps, &lane](std::size_t begin, std::size_t end) { combine(steps, lane, begin, end); });
}

/// Reduces elements [begin, end) of the arrived data.
void ScheduledOperation::combine(std::span<const ScheduleStep> steps, const BlockLane& lane,
                                 std::size_t begin, std::size_t end) const {
  const ScheduleStep& step = steps.front();
  if (steps.size() > 1) return reducer->reduce(lane.operands, begin, end, lane.partial(step.in.first));
  const bool meets_contribution = step.arrival == ScheduleStep::Arrival::meets_contribution;
  const std::size_t element = reducer->element();
  for_each_part_within(
      lane.pieces, step.in, begin * element, end * element,
      [&](std::size_t block, std::size_t skipped, std::size_t bytes, std::size_t packed) {
        const std::byte* const own = meets_contribution ? lane.contribution(block) : lane.partial(block);
        std::array operands{own + skipped, static_cast<const std::byte*>(lane.buffers.arrived) + packed};
        if (step.from < schedule.rank()) std::swap(operands[0], operands[1]);
        reducer->reduce(operands, 0, bytes / element, lane.partial(block) + skipped);
      });
}

void reduce_by_schedule(const Reduction& reduction, const Stream& from, const Pieces& pieces,
                        const Results& results, const Schedule& schedule, std::size_t most) {
  const auto operation = ScheduledOperation::of(reduction, schedule, MessageKind::contribution);
  const Stream* const to = results.to();
  const std::size_t own = schedule.block();
  const bool overwrites = results.are_on_contributions(), makes_own_only = schedule.makes_own_block_only();
  // If packed data have the order of the user's buffer, that buffer replaces staging.
  const bool makes_in_place = results.are_taken() && to->is_dense() && pieces.lie_together();
  const bool reads_in_place = from.is_dense() && (makes_own_only || (pieces.lie_together() && !overwrites));
  // If only the own block is made, it needs no staging either: it is made in `to`, or where data arrive.
  const bool makes_own = makes_own_only && reads_in_place && !makes_in_place;
  const bool makes_own_in_place =
      makes_own && to != nullptr && !results.are_taken() && to->is_dense() && !overwrites;
  operation.run(
      pieces, !makes_in_place && !makes_own, overwrites ? 1 : most,
      [&](BlockLane& lane) {
        BlockBuffers& buffers = lane.buffers;
        if (makes_in_place) buffers.partial = to->dense() + lane.pieces.offset(0);
        if (makes_own) lane.first_partial = own;
        if (makes_own_in_place && lane.pieces.bytes(own) != 0)
          buffers.partial = to->dense() + lane.pieces.before();
        lane.is_in_stream = reads_in_place;
        buffers.contributed = reads_in_place ? from.dense() : buffers.partial;
        if (!reads_in_place) pack_all(lane, from, buffers.partial);
      },
      [&](BlockLane& lane) {
        if (to == nullptr || makes_in_place || makes_own_in_place) return;
        if (results.are_taken()) return store_all(lane, *to, lane.buffers.partial);
        lane.unpack(*to, lane.pieces.before(), lane.pieces.bytes(own), lane.partial(own));
      });
}

void reduce_by_schedule(Operation operation, Algorithm algorithm, const Reduction& reduction,
                        const Stream& from, const Results& results, int root, const Shares* shares) {
  const Schedule& schedule = schedule_of(operation, algorithm, reduction.shadow, root);
  const ScheduledChunks chunks = chunks_of(operation, algorithm, reduction.shadow, from.size());
  const std::size_t element = reduction.reducer.element(), most = chunks.bytes / element;
  if (shares == nullptr) {
    const Shares even = Shares::even(reduction.elements(from), schedule.blocks());
    return reduce_by_schedule(reduction, from,
                              Pieces::consecutive(even, element, std::max(most, schedule.blocks())), results,
                              schedule, chunks.lanes);
  }
  // With pairwise, a rank receives a contribution to its piece from every other rank.
  const std::size_t blocks = algorithm == Algorithm::pairwise ? shares->ranks() : shares->owners();
  const RankOrder order(operation, algorithm, reduction.shadow);
  reduce_by_schedule(reduction, from,
                     Pieces(*shares, element, std::max<std::size_t>(most / blocks, 1), &order), results,
                     schedule, chunks.lanes);
}

void bcast_by_schedule(team::Member& member, const Shadow& shadow, const Stream& stream, int root,
                       Algorithm algorithm) {
  const bool is_root = shadow.rank() == root;
  const Schedule& schedule = schedule_of(Operation::bcast, algorithm, shadow, root);
  const ScheduledOperation operation{"MPI_Bcast", member, shadow, schedule, nullptr, MessageKind::bcast};
  const Shares shares = Shares::even(stream.size(), schedule.blocks());
  const ScheduledChunks chunks = chunks_of(Operation::bcast, algorithm, shadow, stream.size());
  const Pieces pieces = Pieces::consecutive(shares, 1, chunks.bytes);
  operation.run(
      pieces, !stream.is_dense(), lanes,
      [&](BlockLane& lane) {
        if (stream.is_dense()) lane.buffers.partial = stream.dense() + lane.pieces.offset(0);
        lane.buffers.contributed = lane.buffers.partial;
        if (is_root && !stream.is_dense()) pack_all(lane, stream, lane.buffers.partial);
      },
      [&](BlockLane& lane) {
        if (!is_root && !stream.is_dense()) store_all(lane, stream, lane.buffers.partial);
      });
}

void bcast_short(team::Member& member, const Shadow& shadow, const Stream& stream, int root,
                 Algorithm algorithm) {
  const Schedule& schedule = schedule_of(Operation::bcast, algorithm, shadow, root);
  const ScheduledOperation operation{"MPI_Bcast", member, shadow, schedule, nullptr, MessageKind::bcast};
  lifetime::ThreadBlock<short_most> staging;
  std::byte* const packed = stream.is_dense() ? stream.dense() : staging.data();
  const bool is_staged = !stream.is_dense(), is_root = shadow.rank() == root;
  if (is_root && is_staged) stream.pack(0, stream.size(), packed);
  operation.run_short({.contributed = packed, .partial = packed}, stream.size());
  if (!is_root && is_staged) stream.unpack(0, stream.size(), packed);
}

void scan_by_chain(const Reduction& reduction, Operation which, const Stream& from, const Stream& to) {
  const std::size_t element = reduction.reducer.element();
  const Schedule& schedule = schedule_of(which, Algorithm::chain, reduction.shadow);
  const auto operation = ScheduledOperation::of(reduction, schedule, MessageKind::contribution);
  const std::size_t chunk = chunks_of(which, Algorithm::chain, reduction.shadow, from.size()).bytes;
  const Shares shares = Shares::even(reduction.elements(from), schedule.blocks());
  const Pieces pieces = Pieces::consecutive(shares, element, std::max<std::size_t>(chunk / element, 1));
  const bool takes_own = which == Operation::scan;
  const bool is_first = reduction.rank() == 0, is_last = reduction.rank() + 1 == reduction.ranks();
  const bool makes_in_place = takes_own && to.is_dense();
  operation.run(
      pieces, true, lanes,
      [&](BlockLane& lane) {
        BlockBuffers& buffers = lane.buffers;
        buffers.contributed = from.is_dense() ? from.dense() + lane.pieces.offset(0) : buffers.partial;
        if (!from.is_dense()) pack_all(lane, from, buffers.partial);
        if (makes_in_place) buffers.partial = to.dense() + lane.pieces.offset(0);
      },
      [&](BlockLane& lane) {
        if (makes_in_place || (is_first && !takes_own)) return;
        store_all(lane, to, takes_own || is_last ? lane.buffers.partial : lane.buffers.arrived);
      });
}

} // namespace helper::collective
