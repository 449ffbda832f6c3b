// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <numeric>
#include <vector>

#include "groups/creation/create.hpp"
#include "groups/creation/meetings.hpp"
#include "ranks/communicator.hpp"
#include "support/catch.hpp"
#include "transport/known_world.hpp"

using namespace helper;
using groups::creation::Options;
using test_support::KnownWorld;

namespace {

/// Creates a communicator of all ranks of a new copy of MPI_COMM_WORLD. Returns whether the members have met,
/// which this rank sees by its messages.
bool meets() {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const int before = test_support::messages_of_meetings();
  {
    const ranks::Group all(copy);
    std::vector<int> ranks(static_cast<std::size_t>(ranks::size_of(copy)));
    std::iota(ranks.begin(), ranks.end(), 0);
    ranks::Communicator made(groups::creation::create(
        {copy, all, test_support::meeting_tag, ranks::rank_in(copy), ranks}, Options().algorithm, nullptr));
    CHECK(ranks::size_of(made) == ranks::size_of(copy));
  }
  MPI_Comm_free(&copy);
  return test_support::messages_of_meetings() != before;
}

} // namespace

TEST_CASE("Members meet where processes take turns") {
  const KnownWorld world;
  for (const bool take_turns : {true, false}) {
    groups::creation::start(take_turns);
    CHECK(meets() == (take_turns && ranks::size_of(MPI_COMM_WORLD) > 1));
  }
}

TEST_CASE("Members of several worlds, of which some take turns, do the same") {
  const int rank = ranks::rank_in(MPI_COMM_WORLD);
  if (ranks::size_of(MPI_COMM_WORLD) == 1) return;
  const KnownWorld world(rank == 0 ? 0 : 1);
  groups::creation::start(rank == 0);
  CHECK(!meets());
}
