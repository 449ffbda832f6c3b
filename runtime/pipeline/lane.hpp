// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "pipeline/stream.hpp"
#include "reduction/reducer.hpp"
#include "team/on_jump.hpp"
#include "team/team.hpp"
#include "trace/track.hpp"
#include "transport/message.hpp"
#include "transport/shadow.hpp"
#include "transport/stall.hpp"

namespace helper::pipeline {

/// The smallest share of a job that is worth a helper's attention, in bytes: a few microseconds of copying.
inline constexpr std::size_t grain = std::size_t{32} * 1024;

/// Bytes that are worked on at a time: few enough to stay in the first-level cache.
inline constexpr std::size_t l1_block = std::size_t{8} * 1024;

/// What one chunk in flight has under way: messages on a shadow communicator and a job of the team.
/// Operations derive from it what else a chunk owns, such as staging buffers. It is for the primary.
class Lane {
public:
  Lane(team::Member& member, const transport::Shadow& shadow) noexcept : member_(member), shadow_(shadow) {}

  /// Start sending elements of the user's, which have `bytes` bytes of data, to the rank `peer` of the shadow
  /// communicator, and receiving them. Throw MpiError.
  ///
  /// Ranks that exchange start their sends first. MPI asks the receiver before it sends much, and so both ask
  /// before either answers. Otherwise the later of them answers, and is sent all that the other has, before
  /// it asks: the answer waits behind that on their connection, and the link is used in one direction at a
  /// time.
  void send(const void* data, MPI_Count count, MPI_Datatype type, std::size_t bytes, int peer, int tag);
  void receive(void* data, MPI_Count count, MPI_Datatype type, std::size_t bytes, int peer, int tag);

  /// Do the same for bytes.
  void send(const void* data, std::size_t bytes, int peer, int tag) {
    send(data, static_cast<MPI_Count>(bytes), MPI_BYTE, bytes, peer, tag);
  }
  void receive(void* data, std::size_t bytes, int peer, int tag) {
    receive(data, static_cast<MPI_Count>(bytes), MPI_BYTE, bytes, peer, tag);
  }

  /// Waits until another rank has made the word as great as `value`, storing it with release.
  void await(const std::atomic<std::uint64_t>& word, std::uint64_t value) {
    awaited_.push_back({&word, value});
  }

  /// Offers `work(begin, end)` over [0, size) to the team in chunks of `chunk`, unless it is a single one,
  /// which is done on the spot; at most one job at a time. `work` is a small noexcept callable, of which the
  /// lane keeps a copy. A timeline calls it `stage`.
  template <class Work>
  void offer(trace::Stage stage, std::size_t size, std::size_t chunk, const Work& work);

  /// Offers to pack `size` bytes of a stream, from `begin` on, into `packed`, or to unpack them from there.
  void pack(const Stream& stream, std::size_t begin, std::size_t size, std::byte* packed,
            Stores stores = Stores::plain);
  void unpack(const Stream& stream, std::size_t begin, std::size_t size, const std::byte* packed);

  /// Whether everything that was started has completed. Never blocks. Throws MpiError.
  bool settled();

  /// Finishes the job.
  void finish() noexcept;

  /// Gives up the messages under way, as transport::abandon does, after an error, and finish().
  void abandon() noexcept;

  team::Member& member() const noexcept { return member_; }
  const transport::Shadow& shadow() const noexcept { return shadow_; }

private:
  struct Awaited {
    const std::atomic<std::uint64_t>* word;
    std::uint64_t value;
  };

  void offer(const team::Job& job);
  bool words_settled();
  bool messages_settled(std::vector<transport::Message>& messages, trace::Transit& transit);

  team::Member& member_;
  const transport::Shadow& shadow_;
  std::vector<transport::Message> sends_;
  std::vector<transport::Message> receives_;
  std::vector<Awaited> awaited_;
  trace::Transit sending_{trace::Stage::send};
  trace::Transit receiving_{trace::Stage::receive};
  team::WorkList::Ticket job_ = team::WorkList::none;
  alignas(std::max_align_t) std::array<std::byte, 64> work_; // of the job, if the lane keeps it
};

template <class Work>
void Lane::offer(trace::Stage stage, std::size_t size, std::size_t chunk, const Work& work) {
  static_assert(sizeof work <= sizeof work_ && std::is_trivially_copyable_v<Work>);
  offer(team::Job::of(stage, size, chunk, *new (work_.data()) const Work(work)));
}

/// Waits until `done()` in an operation on `shadow`, lending the member. Throws PeerGaveUp.
template <class Done>
void wait_until(const Done& done, const char* operation, team::Member& member,
                const transport::Shadow& shadow, team::Woken woken) {
  if (done()) return;
  const transport::Waits waits(shadow.name());
  member.lend_until(
      done, [&] { return transport::describe_stall(operation, shadow.user(), shadow.name()); }, woken,
      [&] { shadow.failure().check_peers(); });
}

/// Gives up all that lanes have under way, after an error.
template <class AnyLane>
void abandon(std::vector<AnyLane>& lanes) noexcept {
  for (AnyLane& lane : lanes) lane.finish();
  for (AnyLane& lane : lanes) lane.abandon();
}

/// Chunks 0 … chunks-1 on their way through a number of stages; the chunk's next stage starts when all that
/// its lane has under way has settled. Chunk c goes through lane c modulo their number, one after the other.
class Flow {
public:
  Flow(std::size_t lanes, std::size_t chunks, std::size_t stages);

  /// Starts what can be started, by `start(stage, lane, chunk)`. Returns true if anything was, or a chunk
  /// went through.
  template <class AnyLane, class Start>
  bool advance(std::vector<AnyLane>& lanes, const Start& start);

  /// Whether all chunks are through.
  bool over() const noexcept { return left_ == 0; }

private:
  struct LanePosition {
    std::size_t chunk;
    std::size_t started = 0; // stages of the chunk
  };

  std::vector<LanePosition> positions_; // by lane
  std::size_t chunks_, stages_;
  std::size_t left_; // chunks
};

template <class AnyLane, class Start>
bool Flow::advance(std::vector<AnyLane>& lanes, const Start& start) {
  bool advanced = false;
  for (std::size_t lane = 0; lane < positions_.size(); ++lane) {
    LanePosition& at = positions_[lane];
    // It goes on to the chunk's end: what a stage has made goes out before another lane's work is begun.
    while (at.chunk < chunks_ && lanes[lane].settled()) {
      advanced = true;
      if (at.started == stages_) {
        at = {at.chunk + positions_.size()};
        --left_;
        break;
      }
      start(at.started++, lanes[lane], at.chunk);
    }
  }
  return advanced;
}

/// Finishes a flow: polls, works for the team while there is nothing to start, and returns when all chunks
/// are through. A stall report names `operation`. Throws MpiError and PeerGaveUp, all lanes abandoned.
template <class AnyLane, class Start>
void finish(const char* operation, std::vector<AnyLane>& lanes, Flow& flow, const Start& start) {
  if (flow.over()) return;
  team::Member& member = lanes.front().member();
  const transport::Waits waits(lanes.front().shadow().name());
  team::StallWatch stall(member.team().waiting(), member.team().waiting().stall_report);
  team::Pause pause(member, team::Woken::perhaps);
  const auto give_up = [&] {
    pause.end();
    abandon(lanes);
  };
  const team::OnJump jump(give_up); // of a user-defined reduction
  try {
    const auto advance = [&] { return flow.advance(lanes, start); };
    while (!flow.over()) {
      if (advance() || member.help() || member.attend() ||
          (!team::Oversubscription::by_threads() && transport::poll_in_a_row(advance))) {
        pause.end();
        continue;
      }
      stall.look([&] {
        const transport::Shadow& shadow = lanes.front().shadow();
        return transport::describe_stall(operation, shadow.user(), shadow.name());
      });
      if (pause.take()) lanes.front().shadow().failure().check_peers();
    }
  } catch (...) {
    give_up();
    throw;
  }
}

/// Carries chunks 0 … chunks-1 through `stages`, callables (AnyLane&, chunk) that start a stage of a chunk.
/// Up to lanes.size() chunks are in flight. Returns and throws as finish() does.
template <class AnyLane, class... Stages>
void run(const char* operation, std::vector<AnyLane>& lanes, std::size_t chunks, const Stages&... stages) {
  Flow flow(lanes.size(), chunks, sizeof...(Stages));
  finish(operation, lanes, flow, [&](std::size_t stage, AnyLane& lane, std::size_t chunk) {
    std::size_t index = 0;
    ((index++ == stage ? stages(lane, chunk) : void()), ...);
  });
}

/// The number of elements that are worth a helper's attention.
inline std::size_t grain_of(const reduction::Reducer& reducer) {
  return std::max<std::size_t>(grain / reducer.element(), 1);
}

/// Starts combining packed elements of the ranks into `out`, in `lane`: for the team where helpers may,
/// otherwise on the spot. `operands` must live until the lane has settled. Throws MpiError.
inline void start_reducing(const reduction::Reducer& reducer, Lane& lane,
                           std::span<const std::byte* const> operands, std::size_t elements, std::byte* out) {
  if (reducer.helpers_may()) {
    lane.offer(trace::Stage::reduce, elements, grain_of(reducer),
               [&reducer, operands, out](std::size_t begin, std::size_t end) noexcept {
                 reducer.reduce(operands, begin, end, out);
               });
  } else {
    const trace::Chunk recorded = lane.member().own_chunk(trace::Stage::reduce, elements);
    reducer.reduce(operands, 0, elements, out);
  }
}

} // namespace helper::pipeline
