// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/scheduled.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "collective/algorithms.hpp"
#include "collective/cost.hpp"
#include "collective/dispatch.hpp"
#include "layout/copy_bytes.hpp"
#include "lifetime/thread_block.hpp"
#include "pipeline/stores.hpp"

namespace helper::collective {

namespace {

/// Calls `visit(at, bytes)` for the parts of a run that are not empty.
template <class Visit>
void for_each_part(std::span<const std::size_t> begin, const BlockRun& run, const Visit& visit) {
  run.for_each_part(begin.size() - 1, [&](std::size_t first, std::size_t last) {
    if (begin[first] != begin[last]) visit(begin[first], begin[last] - begin[first]);
  });
}

std::size_t bytes_of(std::span<const std::size_t> begin, const BlockRun& run) {
  std::size_t all = 0;
  for_each_part(begin, run, [&](std::size_t, std::size_t bytes) { all += bytes; });
  return all;
}

/// Calls `visit(at, bytes, packed)` for the parts that bytes [first, last) of a packed run consist of: their
/// offsets among all blocks, their sizes, and their offsets in the packed bytes.
template <class Visit>
void for_each_part_within(std::span<const std::size_t> begin, const BlockRun& run, std::size_t first,
                          std::size_t last, const Visit& visit) {
  std::size_t before = 0;
  for_each_part(begin, run, [&](std::size_t at, std::size_t bytes) {
    const std::size_t from = std::clamp(first, before, before + bytes);
    const std::size_t to = std::clamp(last, before, before + bytes);
    if (from < to) visit(at + (from - before), to - from, from);
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
void offer_copy(pipeline::Lane& lane, std::span<const std::size_t> begins, const BlockRun& run,
                const Copy& copy) {
  lane.offer(trace::Stage::copy, bytes_of(begins, run), pipeline::grain,
             [begins, run = &run, copy](std::size_t begin, std::size_t end) noexcept {
               for_each_part_within(begins, *run, begin, end, copy);
             });
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

Schedule schedule_of(Operation operation, Algorithm algorithm, const Shadow& shadow, const RankOrder& order,
                     int root) {
  Schedule schedule = schedule_of(operation, algorithm, order.number(shadow.rank()), order.ranks(),
                                  order.number(root), order.distance());
  schedule.among([&order](std::size_t number) { return order.rank(number); });
  return schedule;
}

/// Adjacent steps that only send need not wait for one another.
StepsOnBlocks::StepsOnBlocks(const Schedule& schedule, const reduction::Reducer* reducer)
    : schedule_(schedule), reducer_(reducer) {
  const std::span<const ScheduleStep> steps = schedule.steps();
  for (std::size_t step = 0; step < steps.size(); ++step)
    if (step == 0 || steps[step - 1].in.count != 0 || steps[step].in.count != 0) groups_.push_back(step);
  groups_.push_back(steps.size());
}

void StepsOnBlocks::start(std::size_t stage, pipeline::Lane& lane, const BlockBuffers& buffers,
                          int label) const {
  if (stage == 0) return copy(lane, buffers);
  const std::size_t group = (stage - 1) / stages_of_group;
  const std::size_t first = groups_[group], last = groups_[group + 1];
  const ScheduleStep& step = schedule_.steps()[first]; // the only step of its group if anything arrives
  switch ((stage - 1) % stages_of_group) {
  case 0:
    if (step.out.period != 0) pack(step, lane, buffers);
    return;
  case 1:
    for (const ScheduleStep& each : schedule_.steps().subspan(first, last - first))
      exchange(each, lane, buffers, label);
    return;
  default:
    if (step.in.period != 0) return unpack(step, lane, buffers);
    if (step.arrival != ScheduleStep::Arrival::stored) combine(step, lane, buffers);
  }
}

std::size_t StepsOnBlocks::most_arriving(std::span<const std::size_t> begin) const {
  std::size_t most = 0;
  for (const ScheduleStep& step : schedule_.steps()) {
    if (step.in.period != 0) {
      most = std::max(most, bytes_of(begin, step.in) + bytes_of(begin, step.out));
    } else if (step.arrival != ScheduleStep::Arrival::stored) {
      most = std::max(most, bytes_of(begin, step.in));
    }
  }
  return most;
}

void StepsOnBlocks::copy(pipeline::Lane& lane, const BlockBuffers& buffers) const {
  if (buffers.partial == buffers.contributed) return;
  offer_copy(lane, buffers.begin, schedule_.copied(),
             [&buffers](std::size_t at, std::size_t bytes, std::size_t) {
               layout::copy_bytes(buffers.partial + at, buffers.contributed + at, bytes);
             });
}

/// Returns where the data that a step sends are packed: after the data that arrive in it.
std::byte* StepsOnBlocks::packed(const ScheduleStep& step, const BlockBuffers& buffers) {
  return buffers.arrived + bytes_of(buffers.begin, step.in);
}

void StepsOnBlocks::pack(const ScheduleStep& step, pipeline::Lane& lane, const BlockBuffers& buffers) {
  offer_copy(lane, buffers.begin, step.out,
             [&buffers, to = packed(step, buffers)](std::size_t at, std::size_t bytes, std::size_t packed) {
               layout::copy_bytes(to + packed, buffers.partial + at, bytes);
             });
}

void StepsOnBlocks::unpack(const ScheduleStep& step, pipeline::Lane& lane, const BlockBuffers& buffers) {
  offer_copy(lane, buffers.begin, step.in, [&buffers](std::size_t at, std::size_t bytes, std::size_t packed) {
    layout::copy_bytes(buffers.partial + at, buffers.arrived + packed, bytes);
  });
}

void StepsOnBlocks::exchange(const ScheduleStep& step, pipeline::Lane& lane, const BlockBuffers& buffers,
                             int label) const {
  const int to = static_cast<int>(step.to), from = static_cast<int>(step.from);
  if (step.out.period != 0) {
    lane.send(packed(step, buffers), bytes_of(buffers.begin, step.out), to, label);
    lane.receive(buffers.arrived, bytes_of(buffers.begin, step.in), from, label);
    return;
  }
  const std::byte* const own = step.sends_contribution ? buffers.contributed : buffers.partial;
  for_each_part(buffers.begin, step.out,
                [&](std::size_t at, std::size_t bytes) { lane.send(own + at, bytes, to, label); });
  std::byte* next = buffers.arrived;
  for_each_part(buffers.begin, step.in, [&](std::size_t at, std::size_t bytes) {
    const bool is_stored = step.arrival == ScheduleStep::Arrival::stored;
    lane.receive(is_stored ? buffers.partial + at : std::exchange(next, next + bytes), bytes, from, label);
  });
}

void StepsOnBlocks::combine(const ScheduleStep& step, pipeline::Lane& lane,
                            const BlockBuffers& buffers) const {
  const std::size_t elements = bytes_of(buffers.begin, step.in) / reducer_->element();
  if (elements == 0) return;
  pipeline::start_reducing(
      *reducer_, lane, elements,
      [this, &step, &buffers](std::size_t begin, std::size_t end) { combine(step, buffers, begin, end); });
}

/// Reduces elements [begin, end) of the arrived data.
void StepsOnBlocks::combine(const ScheduleStep& step, const BlockBuffers& buffers, std::size_t begin,
                            std::size_t end) const {
  const bool meets_contribution = step.arrival == ScheduleStep::Arrival::meets_contribution;
  const std::byte* const own = meets_contribution ? buffers.contributed : buffers.partial;
  const std::size_t element = reducer_->element();
  for_each_part_within(
      buffers.begin, step.in, begin * element, end * element,
      [&](std::size_t at, std::size_t bytes, std::size_t packed) {
        std::array operands{own + at, static_cast<const std::byte*>(buffers.arrived) + packed};
        if (step.from < schedule_.rank()) std::swap(operands[0], operands[1]);
        reducer_->reduce(operands, 0, bytes / element, buffers.partial + at);
      });
}

void reduce_by_schedule(const Reduction& reduction, const Stream& from, const Pieces& pieces,
                        const Results& results, const Schedule& schedule, std::size_t most) {
  const auto operation = ScheduledOperation::of(reduction, schedule, MessageKind::contribution);
  const Stream* const to = results.to();
  // If packed data have the order of the user's buffer, that buffer replaces staging.
  const bool makes_in_place = results.are_taken() && to->is_dense() && pieces.lie_together();
  const bool reads_in_place = from.is_dense() && pieces.lie_together() && !results.are_on_contributions();
  operation.run(
      pieces, !makes_in_place, results.are_on_contributions() ? 1 : most,
      [&](BlockLane& lane) {
        BlockBuffers& buffers = lane.buffers;
        if (makes_in_place) buffers.partial = to->dense() + lane.pieces.offset(0);
        buffers.contributed = reads_in_place ? from.dense() + lane.pieces.offset(0) : buffers.partial;
        if (!reads_in_place) pack_all(lane, from, buffers.partial);
      },
      [&](BlockLane& lane) {
        if (to == nullptr || makes_in_place) return;
        if (results.are_taken()) return store_all(lane, *to, lane.buffers.partial);
        const std::size_t own = schedule.block();
        lane.unpack(*to, lane.pieces.before(), lane.pieces.bytes(own),
                    lane.buffers.partial + lane.pieces.begin(own));
      });
}

void reduce_by_schedule(Operation operation, Algorithm algorithm, const Reduction& reduction,
                        const Stream& from, const Results& results, int root) {
  const RankOrder order(operation, algorithm, reduction.shadow);
  const Shares shares = Shares::even(reduction.elements(from), order.ranks());
  const std::size_t element = reduction.reducer.element();
  const std::size_t most = scheduled_chunk(reduction.shadow.chunk(), order.ranks()) / element;
  reduce_by_schedule(reduction, from, Pieces::consecutive(shares, element, std::max<std::size_t>(most, 1)),
                     results, schedule_of(operation, algorithm, reduction.shadow, order, root));
}

void bcast_by_schedule(team::Member& member, const Shadow& shadow, const Stream& stream, int root,
                       Algorithm algorithm) {
  const bool is_root = shadow.rank() == root;
  const RankOrder order(Operation::bcast, algorithm, shadow);
  const Schedule schedule = schedule_of(Operation::bcast, algorithm, shadow, order, root);
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
  const Schedule& schedule = short_schedule(Operation::bcast, algorithm, shadow, root);
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
  const Schedule schedule = schedule_of(which, Algorithm::chain, reduction.rank(), reduction.ranks());
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
