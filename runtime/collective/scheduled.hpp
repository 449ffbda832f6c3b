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

/// Returns the steps by which the algorithm does the operation. Of `nodes` see Schedule.
Schedule schedule_of(Operation operation, Algorithm algorithm, std::size_t rank, std::size_t ranks,
                     std::size_t root = 0, std::size_t nodes = 1);

/// Returns the schedule of a rank of the shadow. Block b is of the rank with number b in the order.
Schedule schedule_of(Operation operation, Algorithm algorithm, const Shadow& shadow, const RankOrder& order,
                     int root = 0);

/// Returns a schedule whose ranks keep their order, for run_short(). The thread caches the last one: the
/// reference is valid until the next call. Throws std::bad_alloc.
const Schedule& short_schedule(Operation operation, Algorithm algorithm, const Shadow& shadow, int root = 0);

/// Where the blocks of a chunk are at a rank, one after the other in each place.
struct BlockBuffers {
  std::span<const std::size_t> begin{};   ///< start of each block, in bytes, and the end of the last
  const std::byte* contributed = nullptr; ///< the rank's contribution
  std::byte* partial = nullptr;           ///< the partial result; possibly the same place
  std::byte* arrived = nullptr;           ///< where blocks arrive that are to be reduced or unpacked
};

/// Starts a lane's work in a step on a chunk. All arguments must live until the lane has settled.
class StepsOnBlocks {
public:
  /// `reducer` is nullptr if nothing is reduced.
  StepsOnBlocks(const Schedule& schedule, const reduction::Reducer* reducer);

  /// Returns how many stages a chunk goes through.
  std::size_t stages() const { return 1 + stages_of_group * (groups_.size() - 1); }

  /// Starts a stage. Messages have the tag `label`. Throws MpiError.
  void start(std::size_t stage, pipeline::Lane& lane, const BlockBuffers& buffers, int label) const;

  /// Returns the most bytes that a step needs to reduce what arrives, or to pack one message.
  std::size_t most_arriving(std::span<const std::size_t> begin) const;

private:
  static constexpr std::size_t stages_of_group = 3; // pack, exchange, and reduce or unpack

  static std::byte* packed(const ScheduleStep& step, const BlockBuffers& buffers);
  void copy(pipeline::Lane& lane, const BlockBuffers& buffers) const;
  static void pack(const ScheduleStep& step, pipeline::Lane& lane, const BlockBuffers& buffers);
  static void unpack(const ScheduleStep& step, pipeline::Lane& lane, const BlockBuffers& buffers);
  void exchange(const ScheduleStep& step, pipeline::Lane& lane, const BlockBuffers& buffers, int label) const;
  void combine(const ScheduleStep& step, pipeline::Lane& lane, const BlockBuffers& buffers) const;
  void combine(const ScheduleStep& step, const BlockBuffers& buffers, std::size_t begin,
               std::size_t end) const;

  const Schedule& schedule_;
  const reduction::Reducer* const reducer_;
  std::vector<std::size_t> groups_; // starts of the groups of steps that start together, followed by the end
};

/// The state of a chunk in flight.
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

  Pieces pieces;
  BlockBuffers buffers{};
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

  /// Lets the rounds of `pieces` go through all steps. `begin(lane)` says where the blocks are, `end(lane)`
  /// takes the results. A lane has room for a chunk from buffers.partial on if `is_staged`, and for what a
  /// step needs. There are up to `most` lanes. Blocks, lending the caller; throws MpiError and PeerGaveUp.
  template <class Begin, class End>
  void run(Pieces pieces, bool is_staged, std::size_t most, const Begin& begin, const End& end) const;

  /// Runs `block` bytes of each block through all steps, one after the other. The contribution is in
  /// buffers.contributed, which may be buffers.partial, and must be with several blocks. The last two places
  /// have room for all blocks. Returns the address of the result. Blocks and throws like run().
  const std::byte* run_short(const BlockBuffers& buffers, std::size_t block) const;
};

template <class Begin, class End>
void ScheduledOperation::run(Pieces pieces, bool is_staged, std::size_t most, const Begin& begin,
                             const End& end) const {
  const StepsOnBlocks steps(schedule, reducer);
  pieces.start(0); // no later round has larger pieces
  const std::size_t staging = is_staged ? pieces.bytes() : 0;
  const std::size_t wanted = std::min(most, pieces.rounds());
  const pipeline::Staging memory(staging + steps.most_arriving(pieces.begins()), wanted, shadow);
  std::vector<BlockLane> in_flight;
  for (std::size_t index = 0; index < memory.count(); ++index) in_flight.emplace_back(member, shadow, pieces);
  pipeline::Flow flow(in_flight.size(), pieces.rounds(), steps.stages() + 2);
  pipeline::finish(name, in_flight, flow, [&](std::size_t stage, BlockLane& lane, std::size_t round) {
    if (stage == 0) {
      lane.pieces.start(round);
      std::byte* const own = memory[round % memory.count()];
      lane.buffers = {lane.pieces.begins(), own, own, own + staging};
      begin(lane);
    } else if (stage <= steps.stages()) {
      steps.start(stage - 1, lane, lane.buffers, tag(message, round));
    } else {
      end(lane);
    }
  });
}

} // namespace helper::collective
