// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "pipeline/lane.hpp"

namespace helper::pipeline {

void Lane::send(const void* data, MPI_Count count, MPI_Datatype type, std::size_t bytes, int peer, int tag) {
  transport::send(sends_.emplace_back(), shadow_, data, count, type, peer, tag);
  sending_.add(member_.track(), bytes);
}

void Lane::receive(void* data, MPI_Count count, MPI_Datatype type, std::size_t bytes, int peer, int tag) {
  transport::receive(receives_.emplace_back(), shadow_, data, count, type, peer, tag);
  receiving_.add(member_.track(), bytes);
}

void Lane::pack(const Stream& stream, std::size_t offset, std::size_t size, std::byte* packed,
                Stores stores) {
  offer(trace::Stage::pack, size, grain,
        [&stream, offset, packed, stores](std::size_t begin, std::size_t end) noexcept {
          pipeline::pack(stream, offset + begin, offset + end, packed + begin, stores);
        });
}

void Lane::unpack(const Stream& stream, std::size_t offset, std::size_t size, const std::byte* packed) {
  offer(trace::Stage::unpack, size, grain,
        [&stream, offset, packed](std::size_t begin, std::size_t end) noexcept {
          stream.unpack(offset + begin, offset + end, packed + begin);
        });
}

void Lane::offer(const team::Job& job) {
  if (job.size <= job.grain) {
    member_.run(job);
  } else {
    job_ = member_.publish(job);
  }
}

// A test makes MPI poll for all messages. So a call stops at a pending message; the next begins at another.
bool Lane::messages_settled(std::vector<transport::Message>& messages, trace::Transit& transit) {
  while (!messages.empty()) {
    if (!transport::settled(messages.back(), shadow_)) {
      std::rotate(messages.begin(), messages.end() - 1, messages.end());
      return false;
    }
    messages.pop_back();
  }
  transit.arrived(member_.track());
  return true;
}

bool Lane::words_settled() {
  while (!awaited_.empty()) {
    const auto [word, value] = awaited_.back();
    if (word->load(std::memory_order_acquire) < value) return false;
    awaited_.pop_back();
  }
  return true;
}

// Tests sends first: they have usually finished, and the test polls for the receives. Tests receives even
// while sends are in flight, since a receive that completes rings the bell of its sender, which may wait.
bool Lane::settled() {
  if (!words_settled()) return false;
  const bool sent = messages_settled(sends_, sending_);
  if (!messages_settled(receives_, receiving_) || !sent || !member_.retire(job_)) return false;
  job_ = team::WorkList::none;
  return true;
}

void Lane::finish() noexcept {
  member_.finish(job_);
  job_ = team::WorkList::none;
}

void Lane::abandon() noexcept {
  transport::abandon(receives_, shadow_, member_);
  transport::abandon(sends_, shadow_, member_);
}

void pack_all(team::Member& member, const layout::PackedData& data, std::byte* packed) noexcept {
  member.run(trace::Stage::pack, data.size(), grain,
             [&](std::size_t begin, std::size_t end) noexcept { data.pack(begin, end, packed + begin); });
}

void unpack_first(team::Member& member, const layout::PackedData& data, std::size_t bytes,
                  const std::byte* packed) noexcept {
  member.run(trace::Stage::unpack, bytes, grain,
             [&](std::size_t begin, std::size_t end) noexcept { data.unpack(begin, end, packed + begin); });
}

Flow::Flow(std::size_t lanes, std::size_t chunks, std::size_t stages)
    : chunks_(chunks), stages_(stages), left_(lanes == 0 ? 0 : chunks) {
  for (std::size_t lane = 0; lane < lanes; ++lane) positions_.emplace_back(lane, 0);
}

} // namespace helper::pipeline
