// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "shm/segment.hpp"
#include "support/catch.hpp"

using namespace helper::shm::segment;

namespace {

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Returns the size of the segment of a rank. The sizes differ, and rank 1 has none.
std::size_t bytes_of(std::size_t rank) {
  return rank == 1 ? 0 : (rank + 1) * 700'001;
}

} // namespace

TEST_CASE("What a rank writes to its segment all ranks of its node read in theirs") {
  const SegmentKind kind = GENERATE(SegmentKind::unnamed, SegmentKind::named);
  const Access access = GENERATE(Access::read, Access::write);
  const auto rank = static_cast<std::size_t>(rank_of_world());
  const auto segments = share(helper::ranks::NodeRanks(MPI_COMM_WORLD), kind, bytes_of(rank), access);
#ifdef WITHOUT_UNNAMED_FILES
  REQUIRE(segments.empty() == (kind == SegmentKind::unnamed));
#endif
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (segments.empty()) return;
  REQUIRE(segments.size() == static_cast<std::size_t>(size));
  for (std::size_t owner = 0; owner < segments.size(); ++owner) {
    REQUIRE((segments[owner] == nullptr) == (bytes_of(owner) == 0));
    const std::byte* const begin = segments[owner];
    CHECK(std::count(begin, begin + bytes_of(owner), std::byte{0}) ==
          static_cast<std::ptrdiff_t>(bytes_of(owner)));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  // With write access a rank writes to byte `rank` of all segments, otherwise only to its own segment.
  for (std::size_t owner = 0; owner < segments.size(); ++owner) {
    if (segments[owner] != nullptr && (access == Access::write || owner == rank))
      segments[owner][rank] = static_cast<std::byte>(rank + 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (std::size_t owner = 0; owner < segments.size(); ++owner) {
    if (segments[owner] == nullptr) continue;
    for (std::size_t writer = 0; writer < segments.size(); ++writer) {
      const bool wrote = access == Access::write || owner == writer;
      CHECK(segments[owner][writer] == static_cast<std::byte>(wrote ? writer + 1 : 0));
    }
    munmap(segments[owner], bytes_of(owner));
  }
}

TEST_CASE("Where any rank cannot make its segment, none has one") {
  const SegmentKind kind = GENERATE(SegmentKind::unnamed, SegmentKind::named);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit few{4096, before.rlim_max};
  if (rank_of_world() + 1 == size) setrlimit(RLIMIT_FSIZE, &few);
  const bool none = share(helper::ranks::NodeRanks(MPI_COMM_WORLD), kind, 8192, Access::read).empty();
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(none);
}
