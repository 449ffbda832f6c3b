// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <barrier>
#include <numeric>

#include "collective/cases.hpp"
#include "hybrid/in_team.hpp"
#include "support/catch.hpp"

// Several members of one team communicate at the same time and compete for staging. Each has a communicator.

using namespace test_support;

namespace {

constexpr int primaries = 4;
constexpr int helpers = 1;
constexpr int operations = 12;

/// Broadcasts every second double from `root` and makes an allreduce. Returns whether both results are right.
bool communicate(MPI_Comm comm, int doubles, int root, int rank, int size) {
  const auto count = static_cast<std::size_t>(doubles);
  std::vector<double> scattered(2 * count, -1);
  if (rank == root) std::iota(scattered.begin(), scattered.end(), 0.0);
  const Type every_other(PMPI_Type_vector, doubles, 1, 2, MPI_DOUBLE);
  bool good = MPI_Bcast(scattered.data(), 1, every_other, root, comm) == MPI_SUCCESS;
  for (std::size_t i = 0; i < count; ++i) {
    good = good && scattered[2 * i] == static_cast<double>(2 * i);
    good = good && (rank == root || scattered[2 * i + 1] == -1);
  }
  std::vector<long> sums(count, rank + 1);
  good = MPI_Allreduce(MPI_IN_PLACE, sums.data(), doubles, MPI_LONG, MPI_SUM, comm) == MPI_SUCCESS && good;
  return good && std::ranges::count(sums, size * (size + 1) / 2) == doubles;
}

/// Returns copies of the world, one for each of `number` threads.
std::vector<Comm> copies(int number) {
  std::vector<Comm> all;
  for (int i = 0; i < number; ++i) {
    MPI_Comm copy = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &copy);
    all.emplace_back(copy);
  }
  return all;
}

} // namespace

TEST_CASE("Several primaries communicate at once in one team") {
  const Comm world(MPI_COMM_WORLD);
  const int rank = world.rank();
  const int size = world.size();
  const std::vector<Comm> comms = copies(primaries);
  std::vector<int> right(primaries, 0);
  in_team(primaries + helpers, 0, [&](int index, MPI_Helper_team) {
    Draw draw(seed() + static_cast<std::uint64_t>(index)); // draws the same numbers at all ranks
    for (int operation = 0; operation < operations && index < primaries; ++operation) {
      const auto at = static_cast<std::size_t>(index);
      const int doubles = 1 + draw.bytes(2 << 20) / 8;
      const int root = draw.upto(size - 1);
      if (communicate(comms[at], doubles, root, rank, size)) ++right[at];
    }
  });
  REQUIRE(right == std::vector<int>(primaries, operations));
}

TEST_CASE("What one primary has begun without blocking another one completes, in any way") {
  constexpr int begun = 5;
  constexpr int count = 20'000;
  const Comm world(MPI_COMM_WORLD);
  const std::vector<Comm> comms = copies(primaries);
  struct Begun {
    std::vector<std::vector<long>> sums{begun, std::vector<long>(count)};
    std::vector<MPI_Request> requests =
        std::vector<MPI_Request>(begun + 1, MPI_REQUEST_NULL); // the last one is a barrier's
    int code = MPI_ERR_OTHER;
  };
  std::vector<Begun> all(primaries);
  std::barrier have_begun(primaries);
  const auto begin = [&](Begun& own, MPI_Comm comm) {
    for (std::size_t i = 0; i < own.sums.size(); ++i) {
      std::ranges::fill(own.sums[i], world.rank() + static_cast<long>(i));
      MPI_Iallreduce(MPI_IN_PLACE, own.sums[i].data(), count, MPI_LONG, MPI_SUM, comm, &own.requests[i]);
      int least = world.rank();
      MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, comm);
    }
    MPI_Ibarrier(comm, &own.requests.back());
  };
  const auto complete = [](std::vector<MPI_Request>& requests, int way) {
    const auto number = static_cast<int>(requests.size());
    if (way == 0) return MPI_Waitall(number, requests.data(), MPI_STATUSES_IGNORE);
    int code = MPI_SUCCESS;
    for (int over = 0, done = 0; over < number && code == MPI_SUCCESS; over += done) {
      std::vector<int> indices(requests.size());
      if (way == 1) {
        code = MPI_Testsome(number, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
      } else if (way == 2) {
        code = MPI_Testany(number, requests.data(), indices.data(), &done, MPI_STATUS_IGNORE);
      } else {
        code = MPI_Waitany(number, requests.data(), indices.data(), MPI_STATUS_IGNORE);
        done = 1;
      }
    }
    return code;
  };
  in_team(primaries + helpers, 0, [&](int index, MPI_Helper_team) {
    if (index >= primaries) return;
    const auto at = static_cast<std::size_t>(index);
    MPI_Barrier(comms[at]);
    begin(all[at], comms[at]);
    have_begun.arrive_and_wait();
    Begun& of_next = all[(at + 1) % all.size()];
    of_next.code = complete(of_next.requests, index);
  });
  for (const Begun& each : all) {
    CHECK(each.code == MPI_SUCCESS);
    for (std::size_t i = 0; i < each.sums.size(); ++i) {
      const long sum = world.size() * (world.size() - 1) / 2 + world.size() * static_cast<long>(i);
      CHECK(std::ranges::count(each.sums[i], sum) == count);
    }
  }
}

namespace {

void ignore(MPI_Comm*, int*, ...) {}

} // namespace

TEST_CASE("The first operations on communicators leave error handlers as they are, also at the same time") {
  constexpr int each = 60;
  const Comm world(MPI_COMM_WORLD);
  const std::vector<Comm> comms = copies(primaries * each);
  MPI_Errhandler own = MPI_ERRHANDLER_NULL;
  PMPI_Comm_create_errhandler(ignore, &own);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
  in_team(primaries, 0, [&](int index, MPI_Helper_team) {
    for (int i = 0; i < each; ++i) {
      int value = 0;
      MPI_Bcast(&value, 1, MPI_INT, 0, comms[static_cast<std::size_t>(each * index + i)]);
    }
  });
  MPI_Errhandler found = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &found);
  CHECK(found == own);
  for (MPI_Errhandler* handler : {&found, &own}) PMPI_Errhandler_free(handler);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}
