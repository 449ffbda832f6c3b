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
#include <type_traits>
#include <utility>
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

/// The smallest part of a job that is worth waking a helper for, in bytes: a few microseconds of copying.
inline constexpr std::size_t grain = std::size_t{32} * 1024;

/// Bytes that are processed at a time, so that they stay in the first-level cache.
inline constexpr std::size_t l1_block = std::size_t{8} * 1024;

/// The state of one chunk in flight: messages on a shadow communicator and a job of the team. Operations
/// derive from it to add what else a chunk owns, such as staging buffers. Only the primary uses it.
class Lane {
public:
  /// `staging` is memory that an operation may give the lane for its chunks.
  Lane(team::Member& member, const transport::Shadow& shadow, std::byte* staging = nullptr) noexcept
      : member_(member), shadow_(shadow), staging_(staging) {}

  /// send() starts to send elements of a user's buffer to rank `peer` of the shadow communicator, receive()
  /// to receive them from there. The elements have `bytes` bytes of data. Both functions throw MpiError.
  ///
  /// Ranks that exchange must start their sends first. Before MPI sends a large message, it asks the
  /// receiver. If sends come first, both ranks ask before either answers. Otherwise the later rank answers
  /// first and receives all before its own request gets through: data flow in one direction at a time.
  void send(const void* data, MPI_Count count, MPI_Datatype type, std::size_t bytes, int peer, int tag);
  void receive(void* data, MPI_Count count, MPI_Datatype type, std::size_t bytes, int peer, int tag);

  void send(const void* data, std::size_t bytes, int peer, int tag) {
    send(data, static_cast<MPI_Count>(bytes), MPI_BYTE, bytes, peer, tag);
  }
  void receive(void* data, std::size_t bytes, int peer, int tag) {
    receive(data, static_cast<MPI_Count>(bytes), MPI_BYTE, bytes, peer, tag);
  }

  /// settled() returns false until another rank has increased `word` to `value`, storing it with release.
  void await(const std::atomic<std::uint64_t>& word, std::uint64_t value) {
    awaited_.emplace_back(&word, value);
  }

  /// Offers `work(begin, end)` over [0, size) to the team in chunks of `chunk`. If that is one chunk, the
  /// caller runs it now. A lane has one job at a time. The lane copies `work`, which is small and noexcept.
  /// Timelines show `stage`.
  template <class Work>
  void offer(trace::Stage stage, std::size_t size, std::size_t chunk, const Work& work) {
    static_assert(sizeof work <= sizeof work_ && std::is_trivially_copyable_v<Work>);
    offer(team::Job::of(stage, size, chunk, *new (work_.data()) const Work(work)));
  }

  /// Offers a job that packs `size` bytes of a stream, from `begin` on, into `packed`, or unpacks `packed`.
  void pack(const Stream& stream, std::size_t begin, std::size_t size, std::byte* packed,
            Stores stores = Stores::plain);
  void unpack(const Stream& stream, std::size_t begin, std::size_t size, const std::byte* packed);

  /// Returns whether everything that was started has completed. Never blocks. Throws MpiError.
  bool settled();

  /// Works until the job has finished.
  void finish() noexcept;

  /// After an error: abandons the messages in flight, like transport::abandon(). Call finish() before.
  void abandon() noexcept;

  team::Member& member() const noexcept { return member_; }
  const transport::Shadow& shadow() const noexcept { return shadow_; }
  std::byte* staging() const noexcept { return staging_; }

private:
  void offer(const team::Job& job);
  bool words_settled();
  bool messages_settled(std::vector<transport::Message>& messages, trace::Transit& transit);

  team::Member& member_;
  const transport::Shadow& shadow_;
  std::byte* const staging_;
  std::vector<transport::Message> sends_;
  std::vector<transport::Message> receives_;
  // first: a word; second: the value that it must reach.
  std::vector<std::pair<const std::atomic<std::uint64_t>*, std::uint64_t>> awaited_;
  trace::Transit sending_{trace::Stage::send};
  trace::Transit receiving_{trace::Stage::receive};
  team::WorkList::Ticket job_ = team::WorkList::none;
  alignas(std::max_align_t) std::array<std::byte, 64> work_; // the copy of the job's `work`
};

/// Lends the member until `done()` is true. Stall reports name `operation` on `shadow`. Throws PeerGaveUp.
template <class Done>
void wait_until(const Done& done, const char* operation, team::Member& member,
                const transport::Shadow& shadow, team::Woken woken) {
  if (done()) return;
  const transport::Waits waits(shadow.name());
  member.lend_until(
      done, [&] { return transport::describe_stall(operation, shadow.user(), shadow.name()); }, woken,
      [&] { shadow.failure().check_peers(); });
}

/// Abandons everything that lanes have in flight, after an error.
template <class AnyLane>
void abandon(std::vector<AnyLane>& lanes) noexcept {
  for (AnyLane& lane : lanes) lane.finish();
  for (AnyLane& lane : lanes) lane.abandon();
}

/// With the team, packs `data` into `packed`, or unpacks `packed` to the first `bytes` bytes of `data`.
void pack_all(team::Member& member, const layout::PackedData& data, std::byte* packed) noexcept;
void unpack_first(team::Member& member, const layout::PackedData& data, std::size_t bytes,
                  const std::byte* packed) noexcept;

/// Chunks 0 … chunks-1 that pass through stages. A chunk's next stage starts when its lane has settled. Chunk
/// c uses lane c modulo the number of lanes, once earlier chunks of this lane are done.
class Flow {
public:
  Flow(std::size_t lanes, std::size_t chunks, std::size_t stages);

  /// Starts all stages that can start, with `start(stage, lane, chunk)`. Returns whether anything advanced.
  template <class AnyLane, class Start>
  bool advance(std::vector<AnyLane>& lanes, const Start& start) {
    bool advanced = false;
    for (std::size_t lane = 0; lane < positions_.size(); ++lane) {
      auto& [chunk, started] = positions_[lane];
      // A chunk runs through as many stages as it can: its results are sent before another lane's work
      // begins.
      while (chunk < chunks_ && lanes[lane].settled()) {
        advanced = true;
        if (started == stages_) {
          chunk += positions_.size();
          started = 0;
          --left_;
          break;
        }
        start(started++, lanes[lane], chunk);
      }
    }
    return advanced;
  }

  bool over() const noexcept { return left_ == 0; }

private:
  std::vector<std::pair<std::size_t, std::size_t>>
      positions_; // by lane: its chunk, and the number of started stages of this chunk
  std::size_t chunks_, stages_;
  std::size_t left_; // chunks
};

/// Runs a flow to its end: polls, and works for the team while no stage can start. A stall report names
/// `operation`. Throws MpiError and PeerGaveUp; then all lanes are abandoned.
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
  const team::OnJump jump(give_up); // out of a user-defined reduction
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

/// Runs chunks 0 … chunks-1 through `stages`, callables (AnyLane&, chunk) that start a stage of a chunk. Up
/// to lanes.size() chunks are in flight. Returns and throws like finish().
template <class AnyLane, class... Stages>
void run(const char* operation, std::vector<AnyLane>& lanes, std::size_t chunks, const Stages&... stages) {
  Flow flow(lanes.size(), chunks, sizeof...(Stages));
  finish(operation, lanes, flow, [&](std::size_t stage, AnyLane& lane, std::size_t chunk) {
    std::size_t index = 0;
    ((index++ == stage ? stages(lane, chunk) : void()), ...);
  });
}

/// Returns the smallest number of elements that is worth waking a helper for.
inline std::size_t grain_of(const reduction::Reducer& reducer) {
  return std::max<std::size_t>(grain / reducer.element(), 1);
}

/// Starts `work(begin, end)`, which combines elements [0, elements) with `reducer`, in `lane`. If helpers may
/// not reduce, the calling thread does all of it now. The lane copies `work`. Throws MpiError.
template <class Work>
void start_reducing(const reduction::Reducer& reducer, Lane& lane, std::size_t elements, const Work& work) {
  if (reducer.helpers_may()) {
    lane.offer(trace::Stage::reduce, elements, grain_of(reducer),
               // NOLINTNEXTLINE(bugprone-exception-escape): reduce() does not throw where helpers may reduce
               [work](std::size_t begin, std::size_t end) noexcept { work(begin, end); });
  } else {
    const trace::Chunk recorded = lane.member().own_chunk(trace::Stage::reduce, elements);
    work(0, elements);
  }
}

} // namespace helper::pipeline
