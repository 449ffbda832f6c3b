// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/models.hpp"
#include "support/catch.hpp"

#include <atomic>
#include <thread>

using namespace helper::process;

TEST_CASE("The first communicator is that of who alone makes one") {
  first::enter();
  CHECK(first::hold_others());
  first::release_others();
  first::enter();
  CHECK_FALSE(first::hold_others());
  first::leave();
  CHECK(first::hold_others());
  first::release_others();
  first::leave();
}

TEST_CASE("Who makes another waits until the first is settled") {
  first::enter();
  REQUIRE(first::hold_others());
  std::atomic<bool> is_settled{false};
  bool has_waited = false;
  std::thread other([&] {
    first::enter();
    has_waited = is_settled;
    first::leave();
  });
  is_settled = true;
  first::release_others();
  other.join();
  CHECK(has_waited);
  first::leave();
}

TEST_CASE("Of two that make one at the same time neither is first, and neither waits") {
  first::enter();
  std::thread other([] { first::enter(); });
  other.join();
  CHECK_FALSE(first::hold_others());
  first::leave();
  first::leave();
}
