// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <functional>
#include <vector>

#include "support/catch.hpp"
#include "support/helpers.hpp"
#include "support/ranks.hpp"

using namespace test_support;

namespace {

// MPICH has fewer communicators. Open MPI has many more, so that the test stops at this number.
constexpr std::size_t enough = 2100;

/// Makes communicators with `dup` until MPI has none left, or until there are `enough`. Calls `use` on each
/// communicator twice, and frees all. Returns their number.
std::size_t make_all(int (*dup)(MPI_Comm, MPI_Comm*), const std::function<void(MPI_Comm)>& use) {
  std::vector<MPI_Comm> made;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (made.size() < enough && dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS) {
    made.push_back(comm);
    use(comm);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  for (const MPI_Comm again : made) use(again);
  for (MPI_Comm& each : made) MPI_Comm_free(&each);
  return made.size();
}

} // namespace

TEST_CASE("A program that carries operations on each has as many communicators as one that does not") {
  Helpers helpers;
  const int rank = rank_of(MPI_COMM_WORLD);
  const int size = size_of(MPI_COMM_WORLD);
  if (size > 2) return; // more ranks, which may outnumber the cores, this takes too long
  const std::size_t natively = make_all(PMPI_Comm_dup, [](MPI_Comm) {});
  int wrong = 0;
  const std::size_t carried = make_all(MPI_Comm_dup, [&](MPI_Comm comm) {
    int sum = 0;
    helpers.phase([&] { MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm); });
    if (sum != size * (size - 1) / 2) ++wrong;
  });
  CHECK(carried == natively);
  CHECK(wrong == 0);
}

TEST_CASE("Operations on many communicators of different ranks, in different orders, are right") {
  Helpers helpers;
  const int rank = rank_of(MPI_COMM_WORLD);
  std::vector<MPI_Comm> all;
  for (int i = 0; i < 100; ++i) { // more than a rank has control blocks
    MPI_Comm& comm = all.emplace_back();
    const bool apart = i % 3 == 2;
    MPI_Comm_split(MPI_COMM_WORLD, apart ? rank % 2 : 0, i % 2 == 0 ? rank : -rank, &comm);
  }
  for (int round = 0; round < 3; ++round) {
    for (const MPI_Comm comm : all) {
      std::vector<int> numbers(5000, rank + round);
      std::vector<int> expected(numbers.size());
      std::vector<int> sums(numbers.size());
      const int count = static_cast<int>(numbers.size());
      PMPI_Scan(numbers.data(), expected.data(), count, MPI_INT, MPI_SUM, comm);
      helpers.phase([&] { MPI_Scan(numbers.data(), sums.data(), count, MPI_INT, MPI_SUM, comm); });
      REQUIRE(sums == expected);
      PMPI_Bcast(&expected[0], 1, MPI_INT, 0, comm);
      int told = sums[0];
      helpers.phase([&] { MPI_Bcast(&told, 1, MPI_INT, 0, comm); });
      REQUIRE(told == expected[0]);
    }
  }
  for (MPI_Comm& comm : all) MPI_Comm_free(&comm);
}
