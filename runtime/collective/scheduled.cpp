// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/scheduled.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "collective/algorithms.hpp"
#include "pipeline/stores.hpp"

namespace helper::collective {

namespace {

/// Calls `visit(at, bytes)` for the one or two parts of a run that are not empty.
template <class Visit>
void for_each_part(std::span<const std::size_t> begin, BlockRun run, const Visit& visit) {
  const std::size_t blocks = begin.size() - 1;
  const std::size_t end = run.first + run.count;
  const auto part = [&](std::size_t first, std::size_t last) {
    if (begin[first] != begin[last]) visit(begin[first], begin[last] - begin[first]);
  };
  part(run.first, std::min(end, blocks));
  if (end > blocks) part(0, end - blocks);
}

} // namespace

void StepsOnBlocks::start(std::size_t stage, pipeline::Lane& lane, const BlockBuffers& buffers,
                          int label) const {
  if (stage == 0) return copy(lane, buffers);
  const ScheduleStep& step = schedule_.steps()[(stage - 1) / 2];
  if (stage % 2 == 1) {
    exchange(step, lane, buffers, label);
  } else if (step.arrival != ScheduleStep::Arrival::stored) {
    combine(step, lane, buffers);
  }
}

std::size_t StepsOnBlocks::most_arriving(std::span<const std::size_t> begin) const {
  std::size_t most = 0;
  for (const ScheduleStep& step : schedule_.steps()) {
    if (step.arrival == ScheduleStep::Arrival::stored) continue;
    std::size_t arriving = 0;
    for_each_part(begin, step.in, [&](std::size_t, std::size_t bytes) { arriving += bytes; });
    most = std::max(most, arriving);
  }
  return most;
}

void StepsOnBlocks::copy(pipeline::Lane& lane, const BlockBuffers& buffers) const {
  if (buffers.partial == buffers.contributed) return;
  // It is a single block, so there is one part.
  for_each_part(buffers.begin, schedule_.copied(), [&](std::size_t at, std::size_t bytes) {
    lane.offer(trace::Stage::copy, bytes, pipeline::grain,
               [to = buffers.partial + at, from = buffers.contributed + at](std::size_t begin,
                                                                            std::size_t end) noexcept {
                 std::copy(from + begin, from + end, to + begin);
               });
  });
}

void StepsOnBlocks::exchange(const ScheduleStep& step, pipeline::Lane& lane, const BlockBuffers& buffers,
                             int label) const {
  std::byte* next = buffers.arrived;
  for_each_part(buffers.begin, step.in, [&](std::size_t at, std::size_t bytes) {
    const bool is_stored = step.arrival == ScheduleStep::Arrival::stored;
    lane.receive(is_stored ? buffers.partial + at : std::exchange(next, next + bytes), bytes, rank(step.from),
                 label);
  });
  const std::byte* const from = step.sends_contribution ? buffers.contributed : buffers.partial;
  for_each_part(buffers.begin, step.out, [&](std::size_t at, std::size_t bytes) {
    lane.send(from + at, bytes, rank(step.to), label);
  });
}

void StepsOnBlocks::combine(const ScheduleStep& step, pipeline::Lane& lane,
                            const BlockBuffers& buffers) const {
  std::size_t bytes = 0;
  for_each_part(buffers.begin, step.in, [&](std::size_t, std::size_t size) { bytes += size; });
  const std::size_t elements = bytes / reducer_->element();
  if (elements == 0) return;
  if (reducer_->helpers_may()) {
    lane.offer(trace::Stage::reduce, elements, pipeline::grain_of(*reducer_),
               [this, &step, &buffers](std::size_t begin, std::size_t end) noexcept {
                 combine(step, buffers, begin, end);
               });
  } else {
    const trace::Chunk recorded = lane.member().own_chunk(trace::Stage::reduce, elements);
    combine(step, buffers, 0, elements);
  }
}

/// Reduces elements [begin, end) of those that have arrived.
void StepsOnBlocks::combine(const ScheduleStep& step, const BlockBuffers& buffers, std::size_t begin,
                            std::size_t end) const {
  const bool meets_contribution = step.arrival == ScheduleStep::Arrival::meets_contribution;
  const std::byte* const own = meets_contribution ? buffers.contributed : buffers.partial;
  std::size_t before = 0; // elements of the part before
  for_each_part(buffers.begin, step.in, [&](std::size_t at, std::size_t bytes) {
    const std::size_t elements = bytes / reducer_->element();
    const std::size_t first = std::clamp(begin, before, before + elements) - before;
    const std::size_t last = std::clamp(end, before, before + elements) - before;
    std::array operands{own + at,
                        static_cast<const std::byte*>(buffers.arrived) + before * reducer_->element()};
    if (step.from < schedule_.rank()) std::swap(operands[0], operands[1]);
    if (first < last) reducer_->reduce(operands, first, last, buffers.partial + at);
    before += elements;
  });
}

std::size_t elements_in_chunk(const Shadow& shadow, std::size_t blocks, std::size_t element) {
  return std::max<std::size_t>(scheduled_chunk(shadow.chunk(), blocks) / element, 1);
}

namespace {

/// Packs the pieces of a round, or stores all of them, by the team.
void pack_all(BlockLane& lane, const Stream& from, std::byte* packed) {
  lane.offer(trace::Stage::pack, lane.pieces.bytes(), pipeline::grain,
             [&pieces = lane.pieces, &from, packed](std::size_t begin, std::size_t end) noexcept {
               pieces.for_each_part(
                   begin, end, [&](std::size_t, std::size_t at, std::size_t bytes, std::size_t first) {
                     pipeline::pack(from, at, at + bytes, packed + first, pipeline::Stores::plain);
                   });
             });
}
void store_all(BlockLane& lane, const Stream& to, const std::byte* packed) {
  lane.offer(trace::Stage::unpack, lane.pieces.bytes(), pipeline::grain,
             [&pieces = lane.pieces, &to, packed](std::size_t begin, std::size_t end) noexcept {
               pieces.for_each_part(begin, end,
                                    [&](std::size_t, std::size_t at, std::size_t bytes, std::size_t first) {
                                      pipeline::store(to, at, bytes, packed + first);
                                    });
             });
}

} // namespace

void reduce_by_schedule(const Reduction& reduction, const Stream& from, const Pieces& pieces,
                        const Results& results, const Schedule& schedule) {
  const ScheduledOperation operation{reduction.operation, reduction.member,
                                     reduction.shadow,    schedule,
                                     &reduction.reducer,  MessageKind::contribution};
  const Stream* const to = results.to();
  // Where what is packed lies as in the user's buffers, these take the place of staging.
  const bool makes_in_place = results.are_taken() && to->is_dense() && pieces.lie_together();
  const bool reads_in_place = from.is_dense() && pieces.lie_together() && !results.are_on_contributions();
  Pieces first = pieces;
  first.start(0);
  operation.run(
      pieces, makes_in_place ? 0 : first.bytes(), results.are_on_contributions() ? 1 : lanes,
      [&](BlockLane& lane) {
        BlockBuffers& buffers = lane.buffers;
        if (makes_in_place) buffers.partial = to->dense() + lane.pieces.offset(0);
        buffers.contributed = reads_in_place ? from.dense() + lane.pieces.offset(0) : buffers.partial;
        if (!reads_in_place) pack_all(lane, from, buffers.partial);
      },
      [&](BlockLane& lane) {
        if (to == nullptr || makes_in_place) return;
        if (results.are_taken()) return store_all(lane, *to, lane.buffers.partial);
        const std::size_t own = reduction.rank();
        lane.unpack(*to, lane.pieces.before(), lane.pieces.bytes(own),
                    lane.buffers.partial + lane.pieces.begin(own));
      });
}

void bcast_scatter_allgather(team::Member& member, const Shadow& shadow, const Stream& stream, int root) {
  const auto ranks = static_cast<std::size_t>(shadow.size());
  const auto rank = static_cast<std::size_t>(shadow.rank());
  const auto from = static_cast<std::size_t>(root);
  const Schedule schedule =
      Schedule(rank, ranks).scatter(from).allgather_by_doubling().without_messages_to(from);
  const ScheduledOperation operation{"MPI_Bcast", member, shadow, schedule, nullptr, MessageKind::bcast};
  const Shares shares = Shares::even(stream.size(), ranks);
  const Pieces pieces = Pieces::consecutive(shares, 1, elements_in_chunk(shadow, ranks, 1));
  Pieces first = pieces;
  first.start(0);
  operation.run(
      pieces, stream.is_dense() ? 0 : first.bytes(), lanes,
      [&](BlockLane& lane) {
        if (stream.is_dense()) lane.buffers.partial = stream.dense() + lane.pieces.offset(0);
        lane.buffers.contributed = lane.buffers.partial;
        if (rank == from && !stream.is_dense()) pack_all(lane, stream, lane.buffers.partial);
      },
      [&](BlockLane& lane) {
        if (rank != from && !stream.is_dense()) store_all(lane, stream, lane.buffers.partial);
      });
}

} // namespace helper::collective
