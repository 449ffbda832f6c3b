// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/announcement.hpp"
#include "message/message.hpp"
#include "message/operation.hpp"
#include "message/ring.hpp"
#include "transport/world.hpp"

namespace helper::message {

void start() {
  transport::world::make();
  Announcement::draw_magic();
  ring::start();
  team::set_background(requests::advance_one);
}

void stop() {
  transport::world::free();
}

void be_ready() noexcept {
  ring::be_ready();
}

std::size_t arena_share(std::size_t bytes) noexcept {
  return ring::area(bytes);
}

} // namespace helper::message
