// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/models.hpp"
#include "support/catch.hpp"

#include <atomic>
#include <optional>
#include <thread>

using namespace helper::process;

TEST_CASE("The first communicator is that of who alone makes one") {
  first::enter();
  CHECK(first::Claim().is_first());
  first::enter();
  CHECK_FALSE(first::Claim().is_first());
  first::leave();
  CHECK(first::Claim().is_first());
  first::leave();
}

TEST_CASE("Who makes another waits until the first is settled") {
  first::enter();
  std::optional<first::Claim> claim(std::in_place);
  REQUIRE(claim->is_first());
  std::atomic<bool> is_settled{false};
  bool has_waited = false;
  std::thread other([&] {
    first::enter();
    has_waited = is_settled;
    first::leave();
  });
  is_settled = true;
  claim.reset();
  other.join();
  CHECK(has_waited);
  first::leave();
}

TEST_CASE("Of two that make one at the same time neither is first, and neither waits") {
  first::enter();
  std::thread other([] { first::enter(); });
  other.join();
  CHECK_FALSE(first::Claim().is_first());
  first::leave();
  first::leave();
}
