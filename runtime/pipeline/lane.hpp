// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "team/team.hpp"
#include "trace/track.hpp"
#include "transport/message.hpp"
#include "transport/shadow.hpp"

namespace helper::pipeline {

/// Smallest share of a job that is worth a helper's attention, in bytes: a few microseconds of copying.
inline constexpr std::size_t grain = std::size_t{32} * 1024;

/// What one chunk in flight has under way: messages on a shadow communicator and a job of the team.
/// Operations derive from it what else a chunk in flight owns, such as staging buffers. For the primary only.
class Lane {
public:
  Lane(team::Member& member, const transport::Shadow& shadow) noexcept : member_(member), shadow_(shadow) {}

  /// Starts sending `bytes` bytes from `data` to the rank `peer` of the shadow communicator. Throws MpiError.
  void send(const void* data, std::size_t bytes, int peer, int tag);

  /// Starts receiving `bytes` bytes. Throws MpiError.
  void receive(void* data, std::size_t bytes, int peer, int tag);

  /// The same for elements of the user's, which have `bytes` bytes of data.
  void send(const void* data, MPI_Count count, MPI_Datatype type, std::size_t bytes, int peer, int tag);
  void receive(void* data, MPI_Count count, MPI_Datatype type, std::size_t bytes, int peer, int tag);

  /// Waits until another rank has made the word as great as `value`, storing it with release.
  void await(const std::atomic<std::uint64_t>& word, std::uint64_t value) {
    awaited_.push_back({&word, value});
  }

  /// Offers `work(begin, end)` over [0, size) to the team in chunks of `grain`; at most one job at a time.
  /// `work`, a noexcept callable, must live until the lane has settled; its type's `stage`, if it has one, is
  /// what a timeline calls it. A job of one chunk is done on the spot.
  template <class Work>
  void offer(Work& work, std::size_t size, std::size_t grain);

  /// True once everything started has completed. Never blocks. Throws MpiError.
  bool settled();

  /// Finishes the job.
  void finish() noexcept;

  /// After an error, and finish(): gives up the messages under way, as transport::abandon does.
  void abandon() noexcept;

  team::Member& member() const noexcept { return member_; }
  const transport::Shadow& shadow() const noexcept { return shadow_; }

private:
  struct Awaited {
    const std::atomic<std::uint64_t>* word;
    std::uint64_t value;
  };

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
};

template <class Work>
void Lane::offer(Work& work, std::size_t size, std::size_t chunk) {
  const team::Job job = team::Job::of(work, size, chunk);
  if (size <= chunk) {
    member_.run(job);
  } else {
    job_ = member_.publish(job);
  }
}

/// How many polls in vain lie between two looks at whether another rank has given up: they cost a few polls.
inline constexpr int polls_between_checks = 64;

/// What a stall report says of an operation on `shadow`.
std::string describe(const char* operation, const transport::Shadow& shadow);

/// Carries chunks 0 … chunks-1 through `stages`, callables (AnyLane&, chunk) that start a stage of a chunk;
/// the chunk's next stage starts when all that the lane has under way has settled. Up to lanes.size() chunks
/// are in flight, chunk c in lane c modulo that. The primary polls, works for the team while there is nothing
/// to start, and returns when all chunks are through. `operation` names it in a stall report. Throws MpiError
/// and PeerGaveUp, with every lane abandoned.
template <class AnyLane, class... Stages>
void run(const char* operation, std::vector<AnyLane>& lanes, std::size_t chunks, const Stages&... stages) {
  struct Position {
    std::size_t chunk;
    std::size_t started = 0; // stages of the chunk
  };
  std::vector<Position> positions;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) positions.push_back({lane});

  const auto start = [&](std::size_t stage, AnyLane& lane, std::size_t chunk) {
    std::size_t index = 0;
    ((index++ == stage ? stages(lane, chunk) : void()), ...);
  };
  // Starts what can be started in a lane; true if anything was, or a chunk went through.
  const auto advance = [&](AnyLane& lane, Position& at) {
    if (at.chunk >= chunks || !lane.settled()) return false;
    if (at.started == sizeof...(Stages)) {
      at = {at.chunk + lanes.size()};
    } else {
      start(at.started++, lane, at.chunk);
    }
    return true;
  };
  const auto through = [&] {
    for (const Position& at : positions) {
      if (at.chunk < chunks) return false;
    }
    return true;
  };

  if (lanes.empty() || chunks == 0) return;
  team::Member& member = lanes.front().member();
  team::StallWatch stall(member.team().waiting());
  try {
    team::Pause pause(member, team::Woken::perhaps);
    while (!through()) {
      bool advanced = false;
      for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        advanced |= advance(lanes[lane], positions[lane]);
      if (advanced || member.help() || member.attend()) {
        pause.end();
        continue;
      }
      stall.look([&] { return describe(operation, lanes.front().shadow()); });
      if (pause.take()) lanes.front().shadow().check_peers();
    }
  } catch (...) {
    for (AnyLane& lane : lanes) lane.finish();
    for (AnyLane& lane : lanes) lane.abandon();
    throw;
  }
}

} // namespace helper::pipeline
