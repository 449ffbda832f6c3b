// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests the background work of a member that waits.

#include <array>
#include <cstddef>
#include <utility>

#include "support/catch.hpp"
#include "team/team.hpp"

using namespace helper::team;

namespace {

std::array<int, 5> done{}; // how often each function was called

template <std::size_t which>
bool work(Member&) noexcept {
  ++done[which];
  return which == 1;
}

template <std::size_t... which>
void add(std::index_sequence<which...>) {
  (add_background(work<which>), ...);
}

} // namespace

TEST_CASE("a member that waits does once whatever was added, however much that is, and however often") {
  for (int times = 0; times < 2; ++times) add(std::make_index_sequence<done.size()>());
  Team team(0, 1, {});
  Member& member = team.add();
  CHECK(member.attend());
  for (const int times : done) CHECK(times == 1);
}
