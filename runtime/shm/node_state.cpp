// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/node_state.hpp"

#include <array>
#include <cstddef>
#include <vector>

#include "shm/control.hpp"
#include "shm/peer_memory.hpp"
#include "shm/segment.hpp"
#include "shm/shared_cache.hpp"
#include "team/shared_unit.hpp"

namespace helper::shm {

using team::Bell;

/// The state of one process in the segment.
struct NodeState::ProcessState {
  Bell bell;
  alignas(64) std::atomic<int> counter;            // see Oversubscription; a hint, so relaxed
  alignas(64) std::atomic<std::uint64_t> sent;     // see traffic.hpp
  alignas(64) std::atomic<std::uint64_t> waits_in; // relaxed: only reports read it
  std::atomic<std::uint64_t> reported; // all use the word of process 0; bits are only set, relaxed
  std::atomic<bool> is_refused;        // likewise; see peer_memory.hpp
  std::array<std::atomic<std::uint64_t>, ControlPool::most * ControlBlock::most_posts> agreed; // see Posts
  PostPart part;                                                                               // likewise
  // A word for each stream that the process sends. Both ends write it: see claim() in shm_stream.cpp.
  alignas(64) std::array<std::atomic<std::uint32_t>, streams> claims;
};

void NodeState::make(const ranks::NodeRanks& node, bool oversubscribed) {
  // Oversubscribed processes sleep often, and membarrier would interrupt those that work.
  has_membarrier_ = node.everywhere(!oversubscribed && Bell::register_membarrier());
  const std::size_t bytes =
      node.own() == 0 ? (sizeof(ProcessState) + sizeof(SharedCache::Probe) + sizeof(team::SharedUnit::Note)) *
                            node.count()
                      : 0;
  std::vector<std::byte*> segments;
  for (const segment::SegmentKind kind : segment::kinds) {
    if (segments.empty()) segments = segment::share(node, kind, bytes, segment::Access::write);
  }
  if (segments.empty()) return;
  // The segment is all zeros, which is the initial value of every object in it.
  states_ = reinterpret_cast<ProcessState*>(segments.front());
  count_ = static_cast<int>(node.count());
  own_ = static_cast<int>(node.own());
  for (std::size_t i = 0; i < node.count(); ++i) by_rank_[node.in_world()[i]] = &states_[i];
}

void NodeState::take() noexcept {
  Bell::set_own(states_ == nullptr ? Bell::own() : states_[own_].bell, has_membarrier_);
  if (states_ == nullptr) return;
  peer_memory::share_refusal(states_[0].is_refused);
  const auto count = static_cast<std::size_t>(count_);
  auto* const probes = reinterpret_cast<SharedCache::Probe*>(states_ + count);
  SharedCache::own().open({probes, count}, own_);
  team::SharedUnit::set({reinterpret_cast<team::SharedUnit::Note*>(probes + count), count}, own_);
}

NodeState::ProcessState* NodeState::state_of(int world_rank) const noexcept {
  const auto found = by_rank_.find(world_rank);
  return found == by_rank_.end() ? nullptr : found->second;
}

Bell* NodeState::bell(int world_rank) const noexcept {
  ProcessState* const its = state_of(world_rank);
  return its == nullptr ? nullptr : &its->bell;
}

std::atomic<int>* NodeState::counter(int index) const noexcept {
  return states_ == nullptr ? nullptr : &states_[index].counter;
}

std::atomic<std::uint32_t>* NodeState::stream(int world_rank, std::size_t index) const noexcept {
  ProcessState* const its = state_of(world_rank);
  return its == nullptr ? nullptr : &its->claims[index];
}

std::atomic<std::uint64_t>* NodeState::agreed(int world_rank, std::size_t block) const noexcept {
  ProcessState* const its = state_of(world_rank);
  return its == nullptr || block >= ControlPool::most ? nullptr
                                                      : &its->agreed[block * ControlBlock::most_posts];
}

PostPart* NodeState::part(int world_rank) const noexcept {
  ProcessState* const its = state_of(world_rank);
  return its == nullptr ? nullptr : &its->part;
}

std::atomic<std::uint64_t>* NodeState::own_sent() const noexcept {
  return states_ == nullptr ? nullptr : &states_[own_].sent;
}

std::uint64_t NodeState::sent_by_others() const noexcept {
  std::uint64_t sum = 0;
  for (int i = 0; i < count_; ++i) {
    if (i != own_) sum += states_[i].sent.load(std::memory_order_relaxed);
  }
  return sum;
}

void NodeState::call_for_progress() const noexcept {
  for (int i = 0; i < count_; ++i) {
    if (i != own_) states_[i].bell.call_for_progress();
  }
}

std::atomic<std::uint64_t>* NodeState::own_waits_in() const noexcept {
  return states_ == nullptr ? nullptr : &states_[own_].waits_in;
}

bool NodeState::is_missing(int world_rank, std::uint64_t name) const noexcept {
  const ProcessState* const its = state_of(world_rank);
  return its != nullptr && its->waits_in.load(std::memory_order_relaxed) != name;
}

bool NodeState::first_to_report(std::uint64_t bit) noexcept {
  std::atomic<std::uint64_t>& reported = states_ == nullptr ? reported_ : states_[0].reported;
  return (reported.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

} // namespace helper::shm
