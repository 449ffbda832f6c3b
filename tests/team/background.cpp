// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests the background work of a member that waits.

#include <array>
#include <cstddef>

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

} // namespace

TEST_CASE("a member that waits runs each function in the background once, whatever the others find") {
  constexpr std::array background{work<0>, work<1>, work<2>, work<3>, work<4>};
  hooks.background = background;
  Team team(0, 1, {});
  Member& member = team.add();
  CHECK(member.attend());
  for (const int times : done) CHECK(times == 1);
}
