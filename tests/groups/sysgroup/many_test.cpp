// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Only memory limits the number of groups, and freeing a group returns its memory.

#include <malloc.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "groups/sysgroup/groups.hpp"
#include "support/catch.hpp"
#include "support/draw.hpp"
#include "support/mpi_support.hpp"

using namespace test_support;

namespace {

std::ptrdiff_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

} // namespace

TEST_CASE("children of one parent do not disturb one another, however many") {
  Draw draw(seed());
  const int size = size_of(MPI_COMM_WORLD);
  const int rank = rank_of(MPI_COMM_WORLD);
  const std::size_t count = size <= 2 ? 5000 : 30;
  MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &all);
  struct Child {
    MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
    int modulus = 1;
    int members = 0; // the number of ranks that are multiples of the modulus
  };
  std::vector<Child> children(count);
  for (Child& child : children) {
    child.modulus = 1 + draw.upto(2);
    child.members = (size - 1) / child.modulus + 1;
    REQUIRE(MPIX_Sysgroup_enroll(all, rank % child.modulus == 0 ? 1 : 0, MPI_INFO_NULL, &child.group) ==
            MPI_SUCCESS);
  }
  draw.shuffle(children);
  for (Child& child : children) {
    if (child.group == MPIX_SYSGROUP_NULL) continue;
    int sum = 0;
    const int one = 1;
    REQUIRE(MPIX_Sysgroup_allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, child.group) == MPI_SUCCESS);
    REQUIRE(sum == child.members);
    MPIX_Sysgroup_free(&child.group);
  }
  MPIX_Sysgroup_free(&all);
}

TEST_CASE("enrolments and frees leave nothing behind") {
  const int size = size_of(MPI_COMM_WORLD);
  const char* const wanted = std::getenv("TEST_ROUNDS");
  const int rounds = wanted != nullptr ? std::atoi(wanted) : size <= 2 ? 5000 : 40;
  const Info hash{{"mpi_helper_scheme", "hash"}};
  MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &all);
  const auto enrol_and_free = [&] {
    for (int round = 0; round < rounds; ++round) {
      MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
      const int participate = (rank_of(MPI_COMM_WORLD) + round) % 3 != 0 ? 1 : 0;
      MPIX_Sysgroup_enroll(all, participate, round % 2 == 0 ? MPI_INFO_NULL : hash.operator MPI_Info(),
                           &group);
      if (group != MPIX_SYSGROUP_NULL) MPIX_Sysgroup_free(&group);
    }
  };
  enrol_and_free();
  const auto before = mallinfo2().uordblks;
  const auto files_before = open_files();
  enrol_and_free();
  const auto after = mallinfo2().uordblks;
  const auto files_after = open_files();
  CHECK(after < before + 16 * 1024); // the memory that MPI uses varies
  CHECK(files_after == files_before);
  MPIX_Sysgroup_free(&all);
}
