// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/sysgroup/relays.hpp"

#include <atomic>
#include <map>
#include <mutex>

#include "lifetime/never_destroyed.hpp"
#include "team/detours.hpp"
#include "team/team.hpp"

namespace helper::groups::sysgroup::relays {

namespace {

struct Relays {
  std::mutex mutex;                      // guards the channels; the thread that polls them holds it
  std::map<GroupChannel*, int> channels; // the number of groups of each channel
  // Whether there are channels. It changes with the mutex held and is read without it, as a hint that orders
  // nothing. So relaxed accesses suffice.
  std::atomic<bool> has_any{false};
};

void poll() noexcept {
  Relays& all = lifetime::sole<Relays>();
  if (!all.has_any.load(std::memory_order_relaxed)) return;
  const std::unique_lock lock(all.mutex, std::try_to_lock);
  if (!lock) return; // somebody else does
  for (const auto& [channel, groups] : all.channels) channel->poll();
}

} // namespace

void start() {
  static_cast<void>(lifetime::sole<Relays>()); // here, where a lack of memory does no harm
  team::add_background([](team::Member&) noexcept {
    poll();
    return false;
  });
}

void add(GroupChannel& channel) {
  Relays& all = lifetime::sole<Relays>();
  const std::lock_guard lock(all.mutex);
  ++all.channels[&channel];
  if (!all.has_any.load(std::memory_order_relaxed)) team::detours::add(); // tests attend to them
  all.has_any.store(true, std::memory_order_relaxed);
}

void remove(GroupChannel& channel) noexcept {
  Relays& all = lifetime::sole<Relays>();
  const std::lock_guard lock(all.mutex);
  const auto found = all.channels.find(&channel);
  if (--found->second == 0) all.channels.erase(found);
  if (all.channels.empty()) team::detours::remove();
  all.has_any.store(!all.channels.empty(), std::memory_order_relaxed);
}

} // namespace helper::groups::sysgroup::relays
