// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <catch2/catch.hpp>

#include <mpi.h>

#include <cstdint>

#include "team/team.hpp"
#include "transport/shadow.hpp"

using namespace helper;
using transport::Shadow;

namespace {

/// The shadow of a copy of the world, whose ranks offer these terms; `look(shadow)` sees it.
template <class Look>
void agree(const transport::Terms& terms, const Look& look) {
  team::Team team(0, 1, {});
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  transport::offer(terms);
  look(Shadow::of(copy, team.add()));
  MPI_Comm_free(&copy);
}

} // namespace

TEST_CASE("Ranks that would choose differently between algorithms have no shadow") {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (const std::uint64_t common : {std::uint64_t{0}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    agree({4096, common}, [](const Shadow* shadow) { CHECK(shadow != nullptr); });
    const bool differs = rank + 1 == size;
    agree({4096, differs ? common ^ 1 : common},
          [&](const Shadow* shadow) { CHECK((shadow == nullptr) == (size > 1)); });
  }
}

TEST_CASE("The smallest chunk of all ranks holds") {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  agree({static_cast<std::size_t>(1000 + rank), 0}, [](const Shadow* shadow) {
    REQUIRE(shadow != nullptr);
    CHECK(shadow->chunk() == 1000);
  });
}
