// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "collective/selection.hpp"

using namespace helper::collective;

namespace {

/// MPI_HELPER_ALGORITHM, while this lives.
struct Override {
  explicit Override(const char* text) { set_overrides(parse_overrides(text)); }
  ~Override() { set_overrides({}); }
};

constexpr std::size_t MiB = std::size_t{1} << 20;

} // namespace

TEST_CASE("The table decides by size, ranks and shared memory") {
  REQUIRE(select(Operation::bcast, {8, 1}) == Algorithm::native);
  REQUIRE(select(Operation::bcast, {short_most, 2}) == Algorithm::brief);
  REQUIRE(select(Operation::bcast, {short_most + 1, 2, true}) == Algorithm::shared);
  REQUIRE(select(Operation::bcast, {MiB, 2, false}) == Algorithm::tree);
  REQUIRE(select(Operation::allreduce, {8, 2}) == Algorithm::doubling);
  REQUIRE(select(Operation::allreduce, {MiB, 2}) == Algorithm::exchange);
  REQUIRE(select(Operation::allreduce, {flat_most, 2, true}) == Algorithm::flat);
  REQUIRE(select(Operation::allreduce, {flat_most + 1, 2, true}) != Algorithm::flat);
  REQUIRE(select(Operation::alltoall, {flat_most / 2, 2, true}) == Algorithm::flat);
  REQUIRE(select(Operation::alltoall, {flat_most / 2, 3, true}) == Algorithm::pairwise);
  REQUIRE(select(Operation::allgather, {2 * flat_most, 2, true}) == Algorithm::flat);
  REQUIRE(select(Operation::allgather, {2 * flat_most + 1, 2, true}) != Algorithm::flat);
  REQUIRE(select(Operation::gather, {flat_most, 2, true, false, true}) == Algorithm::flat);
  REQUIRE(select(Operation::gather, {flat_most + 1, 2, true, false, true}) == Algorithm::copied);
  REQUIRE(select(Operation::reduce, {65536, 2}) == Algorithm::to_root);
  REQUIRE(select(Operation::reduce, {65536, 3}) == Algorithm::exchange);
  REQUIRE(select(Operation::reduce, {65536, 2, true}) == Algorithm::staged);
  REQUIRE(select(Operation::reduce_scatter, {65536, 2, true}) == Algorithm::staged);
  const bool takes_turns = true;
  REQUIRE(select(Operation::reduce, {65536, 2, true, false, true, takes_turns}) == Algorithm::chained);
  REQUIRE(select(Operation::allreduce, {MiB, 2, true, false, true, takes_turns}) == Algorithm::chained);
  REQUIRE(select(Operation::allreduce, {MiB, 2, true}) == Algorithm::staged);
  REQUIRE(select(Operation::alltoall, {8, 2}) == Algorithm::pairwise);
  REQUIRE(select(Operation::alltoall, {MiB, 2, true}) == Algorithm::pairwise);
  REQUIRE(select(Operation::alltoall, {MiB, 2, true, false, true}) == Algorithm::copied);
  REQUIRE(select(Operation::alltoall, {8, 100}) == Algorithm::native);
  REQUIRE(select(Operation::alltoall, {MiB, 100}) == Algorithm::pairwise);
}

TEST_CASE("An override is followed wherever its algorithm can be used") {
  const Override wanted("bcast=shared,allreduce=doubling,barrier=native,reduce=chained");
  REQUIRE(select(Operation::reduce, {MiB, 2, true}) == Algorithm::chained);
  REQUIRE(select(Operation::reduce, {MiB, 2}) == Algorithm::exchange);
  REQUIRE(select(Operation::bcast, {8, 2, true}) == Algorithm::shared);
  REQUIRE(select(Operation::bcast, {MiB, 2, false}) == Algorithm::tree);
  REQUIRE(select(Operation::allreduce, {8, 2}) == Algorithm::doubling);
  REQUIRE(select(Operation::allreduce, {MiB, 2}) == Algorithm::exchange);
  REQUIRE(select(Operation::barrier, {0, 2}) == Algorithm::native);
}

TEST_CASE("The default overrides nothing") {
  REQUIRE(parse_overrides("auto") == Overrides{});
  REQUIRE(parse_overrides("bcast=auto") == Overrides{});
}

TEST_CASE("Malformed overrides are reported with what is accepted") {
  for (const char* malformed : {"", "native", "bcast", "bcast=", "bcast=fast", "bcast=tree,", "=tree",
                                "cast=tree", "bcast=exchange", "bcast=tree allreduce=native"}) {
    REQUIRE_THROWS_AS(parse_overrides(malformed), std::invalid_argument);
  }
  REQUIRE_THROWS_WITH(parse_overrides("bcast=fast"),
                      Catch::Equals("for bcast one of auto, native, short, shared, tree, flat"));
}

TEST_CASE("The rows of a file stand in for the built-in ones of their operations") {
  set_rows(parse_rows("# by hand\n"
                      "bcast  tree  1000 2  # little\n\n"
                      "barrier native any any\n"
                      "bcast short any any\n"));
  REQUIRE(select(Operation::bcast, {1000, 2, true}) == Algorithm::tree);
  REQUIRE(select(Operation::bcast, {1000, 3, true}) == Algorithm::brief);
  REQUIRE(select(Operation::bcast, {MiB, 3, true}) ==
          Algorithm::native); // short cannot be used, and no row is left
  REQUIRE(select(Operation::barrier, {0, 2}) == Algorithm::native);
  REQUIRE(select(Operation::allreduce, {MiB, 2}) == Algorithm::exchange);
  set_rows({});
  REQUIRE(select(Operation::barrier, {0, 2}) == Algorithm::dissemination);
}

TEST_CASE("The fingerprint tells whether choices may differ") {
  const std::uint64_t usual = fingerprint();
  {
    const Override wanted("bcast=tree");
    REQUIRE(fingerprint() != usual);
  }
  set_rows(parse_rows("barrier native any any\n"));
  const std::uint64_t of_rows = fingerprint();
  set_rows(parse_rows("barrier native any 1000000\n"));
  REQUIRE(fingerprint() != of_rows);
  set_rows({});
  REQUIRE(fingerprint() == usual);
}

TEST_CASE("The built-in table can be written to a file and read from it") {
  std::string text;
  std::vector<Row> all;
  for (int operation = 0; operation < static_cast<int>(Operation::operations); ++operation) {
    for (const Row& row : built_in_rows(static_cast<Operation>(operation))) {
      all.push_back(row);
      text += fmt::format("{} {} {} {}\n", name(row.operation), name(row.algorithm), row.most_bytes,
                          row.most_ranks);
    }
  }
  REQUIRE_FALSE(all.empty());
  REQUIRE(parse_rows(text) == all);
}

TEST_CASE("Malformed rows are reported with their line and what is accepted") {
  for (const char* malformed :
       {"bcast", "bcast tree 5", "bcast tree 5 2 1", "bcast tree -5 2", "bcast tree 5k 2", "cast tree 5 2",
        "bcast exchange 5 2", "bcast tree 5 99999999999"}) {
    REQUIRE_THROWS_WITH(parse_rows(std::string("\n# fine\n") + malformed),
                        Catch::StartsWith("line 3: expected "));
  }
}
