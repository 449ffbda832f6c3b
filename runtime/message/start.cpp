// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The beginnings and the ends: of MPI, and of phases.

#include <chrono>

#include "message/announcement.hpp"
#include "message/leftovers.hpp"
#include "message/message.hpp"
#include "message/operation.hpp"
#include "message/ring.hpp"
#include "message/wait.hpp"
#include "transport/world.hpp"

namespace helper::message {

void start() {
  transport::world::make();
  Announcement::draw_magic();
  ring::start();
  team::set_background(requests::advance_one);
}

void stop() {
  requests::rescue_all();
  // Receivers come yet, but for those that never will, in programs that are wrong.
  constexpr auto patience = std::chrono::seconds(2);
  const auto begun = std::chrono::steady_clock::now();
  while (!leftovers::sweep() && std::chrono::steady_clock::now() - begun < patience) {
  }
  transport::world::free();
}

void be_ready() noexcept {
  ring::be_ready();
}

std::size_t arena_share(std::size_t bytes) noexcept {
  return ring::area(bytes);
}

void rescue() noexcept {
  if (requests::any()) requests::rescue_all();
}

void settle(team::Member& member) {
  if (!requests::own_under_way()) return;
  member.lend_until(
      [&] {
        requests::advance_one(member);
        return !requests::own_under_way();
      },
      [&] { return describe_wait(member, "MPI_Helper_leave", MPI_COMM_NULL); });
}

} // namespace helper::message
