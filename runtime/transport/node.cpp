// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/node.hpp"

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "lifetime/never_destroyed.hpp"
#include "transport/segment.hpp"
#include "transport/shared_cache.hpp"

namespace helper::transport::node {

namespace {

using team::Bell;

/// This is what a process has of the segment.
struct Desk {
  Bell bell;
  alignas(64) std::atomic<int> counter;
  alignas(64) std::atomic<std::uint64_t> sent;     // see traffic.hpp
  alignas(64) std::atomic<std::uint64_t> waits_in; // relaxed, as it is for reports only
  std::atomic<bool> has_reported;                  // the first desk's is the node's; set once, relaxed
};

// These are written once by make(), before any other thread communicates. They are never unmapped nor
// destroyed: threads may ring until the process ends.
Desk* desks = nullptr;
int count = 0;                                      // of desks
int own = 0;                                        // which of them is this process's
using DesksByRank = std::unordered_map<int, Desk*>; // of MPI_COMM_WORLD

Desk* desk(int world_rank) noexcept {
  const auto& all = lifetime::sole<DesksByRank>();
  const auto found = all.find(world_rank);
  return found == all.end() ? nullptr : found->second;
}

} // namespace

void make(const NodeRanks& node, bool oversubscribed) {
  // Processes that take turns sleep often, and would interrupt those that work.
  const bool membarrier = node.everywhere(!oversubscribed && Bell::register_membarrier());
  const std::size_t bytes = node.own() == 0 ? (sizeof(Desk) + sizeof(SharedCache::Probe)) * node.count() : 0;
  std::vector<std::byte*> segments;
  for (const segment::Kind kind : segment::kinds) {
    if (segments.empty()) segments = segment::share(node, kind, bytes, segment::Access::write);
  }
  if (segments.empty()) {
    Bell::set_own(Bell::own(), membarrier);
    return;
  }
  desks =
      reinterpret_cast<Desk*>(segments.front()); // the segment is all zeros, as which desks and probes begin
  count = static_cast<int>(node.count());
  own = static_cast<int>(node.own());
  for (std::size_t i = 0; i < node.count(); ++i)
    lifetime::sole<DesksByRank>()[node.in_world()[i]] = &desks[i];
  Bell::set_own(desks[own].bell, membarrier);
  SharedCache::own().open({reinterpret_cast<SharedCache::Probe*>(desks + count), node.count()}, own);
}

std::atomic<int>* counter(int index) noexcept {
  return desks == nullptr ? nullptr : &desks[index].counter;
}

int processes() noexcept {
  return count;
}

std::atomic<std::uint64_t>* own_sent() noexcept {
  return desks == nullptr ? nullptr : &desks[own].sent;
}

void call_for_progress() noexcept {
  for (int i = 0; i < count; ++i) {
    if (i != own) desks[i].bell.call_for_progress();
  }
}

std::uint64_t sent_by_others() noexcept {
  std::uint64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    if (i != own) sum += desks[i].sent.load(std::memory_order_relaxed);
  }
  return sum;
}

Bell* bell(int world_rank) noexcept {
  Desk* const its = desk(world_rank);
  return its == nullptr ? nullptr : &its->bell;
}

std::atomic<std::uint64_t>* own_waits_in() noexcept {
  return desks == nullptr ? nullptr : &desks[own].waits_in;
}

bool is_missing(int world_rank, std::uint64_t name) noexcept {
  const Desk* const its = desk(world_rank);
  return its != nullptr && its->waits_in.load(std::memory_order_relaxed) != name;
}

bool first_to_report() noexcept {
  static constinit std::atomic<bool> of_process{false};
  std::atomic<bool>& has_reported = desks == nullptr ? of_process : desks[0].has_reported;
  return !has_reported.exchange(true, std::memory_order_relaxed);
}

} // namespace helper::transport::node
