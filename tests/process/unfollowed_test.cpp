// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/notices.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/standard_error.hpp"

using namespace helper::process;

TEST_CASE("An arena for which the node has no memory is printed once, if it is set") {
  const helper::settings::Environment set{{"MPI_HELPER_ARENA", "64M"}};
  const auto say = [&](const helper::settings::Environment& environment, std::size_t shared) {
    return test_support::written_to_standard_error(
        [&] { say_if_arena_is_small(environment, shared, 2048 * 1024); });
  };
  CHECK(say(set, 2048 * 1024).empty());
  CHECK(say({}, 1024 * 1024).empty());
  CHECK(say(set, 1024 * 1024) ==
        "mpi_helper: MPI_HELPER_ARENA=64M is not followed: each process shares 1024 KiB "
        "and not 2048, since the node has no more memory to share\n");
  CHECK(say(set, 1024 * 1024).empty());
}
