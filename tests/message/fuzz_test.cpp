// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <cstdlib>

#include "message/transfers.hpp"
#include "support/catch.hpp"

// Random transfers among all ranks. Each rank is in a phase or not, and uses any way to send, receive and
// complete. TEST_ROUNDS is the number of rounds. A round depends only on the seed and its number.

using namespace test_support;

namespace {

int rounds() {
  const char* const value = std::getenv("TEST_ROUNDS");
  return value == nullptr ? 12 : std::atoi(value);
}

} // namespace

TEST_CASE("Random transfers, in phases and out of them, bring what was sent") {
  Helpers helpers;
  const AttachedBuffer buffer;
  const Comm world(MPI_COMM_WORLD);
  std::vector<Comm> comms;
  for (int sender = 0; sender < world.size(); ++sender) {
    MPI_Comm copy = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &copy);
    comms.emplace_back(copy);
  }
  PMPI_Barrier(MPI_COMM_WORLD); // all ranks have teams
  if (world.size() == 1) return;
  for (int round = 0; round < rounds(); ++round) {
    INFO("round " << round);
    Draw shared(seed() + static_cast<std::uint64_t>(round));
    Draw own(seed() + static_cast<std::uint64_t>(1'000'000 * (world.rank() + 1) + round));
    const std::vector<Transfer> transfers = draw_transfers(shared, world.size(), 10 + shared.upto(50));
    Part part(comms);
    for (std::size_t next = 0; next < transfers.size();) {
      const std::size_t end = std::min(transfers.size(), next + 1 + static_cast<std::size_t>(own.upto(10)));
      const auto some = [&] {
        for (; next < end; ++next) {
          CHECK(part.start(transfers[next], static_cast<int>(next), own) == "");
          if (own.upto(5) == 0) CHECK(part.complete_some(false, own) == "");
        }
      };
      if (own.coin()) {
        helpers.phase(some);
      } else {
        some();
      }
    }
    const auto rest = [&] { CHECK(part.complete_some(true, own) == ""); };
    if (own.coin()) {
      helpers.phase(rest);
    } else {
      rest();
    }
  }
}
