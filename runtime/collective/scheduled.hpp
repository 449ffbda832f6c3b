// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collective/rank_order.hpp"
#include "collective/reduction.hpp"
#include "collective/schedule.hpp"
#include "collective/selection.hpp"
#include "collective/shares.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/staging.hpp"
#include "reduction/reducer.hpp"

/// Runs schedules, with messages and the team's help. Several chunks at a time go through all steps.
namespace helper::collective {

/// Returns the steps by which the algorithm does the operation. For `nodes` see Schedule.
Schedule schedule_of(Operation operation, Algorithm algorithm, std::size_t rank, std::size_t ranks,
                     std::size_t root = 0, std::size_t nodes = 1);

/// Returns the schedule of the shadow's rank. The thread caches the last one: the reference is valid until
/// the next call. Throws std::bad_alloc.
const Schedule& schedule_of(Operation operation, Algorithm algorithm, const Shadow& shadow, int root = 0);

/// Where the blocks of a chunk are at a rank, one after the other in each place.
struct BlockBuffers {
  const std::byte* contributed = nullptr; ///< the rank's contribution
  std::byte* partial = nullptr;           ///< the partial result; possibly the same place
  std::byte* arrived = nullptr;           ///< where blocks arrive that are to be reduced or unpacked
};

/// The state of a chunk in flight. A block is a piece of a round.
struct BlockLane : pipeline::Lane {
  BlockLane(team::Member& member, const Shadow& shadow, const Pieces& all)
      : Lane(member, shadow), pieces(all) {}

  /// Offers `each` to the team for the parts of the pieces, with the arguments of Pieces::for_each_part().
  template <class Each>
  void offer_parts(trace::Stage stage, const Each& each) {
    offer(stage, pieces.bytes(), pipeline::grain, [this, each](std::size_t begin, std::size_t end) noexcept {
      pieces.for_each_part(begin, end, each);
    });
  }

  /// Return the places of a block.
  const std::byte* contribution(std::size_t block) const {
    return buffers.contributed + (is_in_stream ? pieces.offset(block) : pieces.begin(block));
  }
  std::byte* partial(std::size_t block) const {
    return buffers.partial + (pieces.begin(block) - pieces.begin(first_partial));
  }

  Pieces pieces;
  BlockBuffers buffers{};
  bool is_in_stream = false;              ///< buffers.contributed has the elements of all chunks
  std::size_t first_partial = 0;          ///< the block at the start of the partial result
  std::vector<const std::byte*> operands; ///< of a reduction, if several steps of a group receive
};

/// An operation with a schedule, among all ranks of a shadow.
struct ScheduledOperation {
  const char* name; ///< for a stall report
  team::Member& member;
  const Shadow& shadow;
  const Schedule& schedule;
  const reduction::Reducer* reducer; ///< nullptr if nothing is reduced
  MessageKind message;

  static ScheduledOperation of(const Reduction& reduction, const Schedule& schedule, MessageKind message) {
    return {reduction.operation, reduction.member, reduction.shadow, schedule, &reduction.reducer, message};
  }

  /// Lets the rounds of `pieces` go through all steps. `begin(lane)` sets lane.buffers, `end(lane)` takes the
  /// results. A lane has staging for what arrives in a group, and for its chunk, at buffers.partial, if
  /// `is_staged`. There are up to `most` lanes. Blocks, lending the caller; throws MpiError and PeerGaveUp.
  template <class Begin, class End>
  void run(Pieces pieces, bool is_staged, std::size_t most, const Begin& begin, const End& end) const;

  /// Does all steps, one after the other, with blocks of `block` bytes each. With several blocks the caller
  /// sets buffers.contributed to buffers.partial. buffers.arrived is for blocks to be reduced, or to replace
  /// blocks that the same step sends. Returns the address of the result. Blocks and throws like run().
  const std::byte* run_short(const BlockBuffers& buffers, std::size_t block) const;

private:
  static constexpr std::size_t stages_of_group = 3; // pack, exchange, and reduce or unpack

  // Start a stage of `steps`, a group.
  void start(std::size_t stage, std::span<const ScheduleStep> steps, BlockLane& lane, int label) const;
  static void exchange(std::span<const ScheduleStep> steps, BlockLane& lane, int label);
  void combine(std::span<const ScheduleStep> steps, BlockLane& lane) const;

  void copy(BlockLane& lane) const;
  void combine(std::span<const ScheduleStep> steps, const BlockLane& lane, std::size_t begin,
               std::size_t end) const;
};

/// Returns the most bytes that arrive in a group to be reduced, or that are packed and unpacked in it.
std::size_t most_arriving(std::span<const std::span<const ScheduleStep>> groups, const Pieces& pieces);

template <class Begin, class End>
void ScheduledOperation::run(Pieces pieces, bool is_staged, std::size_t most, const Begin& begin,
                             const End& end) const {
  const std::span<const std::span<const ScheduleStep>> groups = schedule.groups();
  const std::size_t stages = stages_of_group * groups.size();
  pieces.start(0); // no later round has larger pieces
  const std::size_t staging = is_staged ? pieces.bytes() : 0;
  const std::size_t wanted = std::min(most, pieces.rounds());
  const pipeline::Staging memory(staging + most_arriving(groups, pieces), wanted, shadow);
  std::vector<BlockLane> in_flight;
  for (std::size_t index = 0; index < memory.count(); ++index) in_flight.emplace_back(member, shadow, pieces);
  pipeline::Flow flow(in_flight.size(), pieces.rounds(), stages + 3);
  pipeline::finish(name, in_flight, flow, [&](std::size_t stage, BlockLane& lane, std::size_t round) {
    if (stage == 0) {
      lane.pieces.start(round);
      std::byte* const own = memory[round % memory.count()];
      lane.buffers = {own, own, own + staging};
      begin(lane);
    } else if (stage == 1) {
      copy(lane);
    } else if (stage < stages + 2) {
      start((stage - 2) % stages_of_group, groups[(stage - 2) / stages_of_group], lane, tag(message, round));
    } else {
      end(lane);
    }
  });
}

} // namespace helper::collective
