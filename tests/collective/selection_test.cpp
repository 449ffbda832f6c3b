// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "collective/network.hpp"
#include "collective/selection.hpp"
#include "support/catch.hpp"

using namespace helper::collective;

namespace {

std::vector<Row> rows(const std::string& text) {
  return parse_tuned(text).rows;
}

/// Sets MPI_HELPER_ALGORITHM to `text` while the object lives.
struct Override {
  explicit Override(const char* text) { set_overrides(parse_overrides(text)); }
  ~Override() { set_overrides({}); }
};

constexpr std::size_t MiB = std::size_t{1} << 20;

/// Returns the situation of `nodes` nodes with `ranks_of_each` ranks each.
Situation on_nodes(std::size_t bytes, int nodes, int ranks_of_each) {
  Situation situation{bytes, nodes * ranks_of_each};
  situation.across_nodes = ranks_of_each > 1;
  situation.nodes = nodes;
  situation.most_on_node = situation.fewest_on_node = ranks_of_each;
  return situation;
}

constexpr std::array reductions{Operation::reduce, Operation::allreduce, Operation::reduce_scatter,
                                Operation::reduce_scatter_block};

/// Returns whether the algorithm reduces within nodes first. Two do, and their costs differ little.
bool keeps_to_nodes(Algorithm allreduces) {
  return allreduces == Algorithm::two_level || allreduces == Algorithm::recursive_halving;
}

} // namespace

TEST_CASE("The table decides by size, ranks and shared memory") {
  REQUIRE(select(Operation::bcast, {8, 1}) == Algorithm::native);
  REQUIRE(select(Operation::bcast, {short_most, 2}) == Algorithm::binomial);
  REQUIRE(select(Operation::bcast, {short_most + 1, 2, true}) == Algorithm::shm_cico);
  REQUIRE(select(Operation::bcast, {MiB, 2, false}) == Algorithm::pipelined_tree);
  REQUIRE(select(Operation::bcast, {MiB, 2, true, false, true}) == Algorithm::cma);
  REQUIRE(select(Operation::allreduce, {8, 2}) == Algorithm::recursive_doubling);
  REQUIRE(select(Operation::allreduce, {MiB, 2}) == Algorithm::reduce_scatter_allgather);
  REQUIRE(select(Operation::allreduce, {shm_linear_most, 2, true}) == Algorithm::shm_linear);
  REQUIRE(select(Operation::allreduce, {shm_linear_most + 1, 2, true}) != Algorithm::shm_linear);
  REQUIRE(select(Operation::alltoall, {shm_linear_most / 2, 2, true}) == Algorithm::shm_linear);
  REQUIRE(select(Operation::alltoall, {shm_linear_most / 2, 3, true}) == Algorithm::pairwise);
  REQUIRE(select(Operation::allgather, {2 * shm_linear_most, 2, true}) == Algorithm::shm_linear);
  REQUIRE(select(Operation::allgather, {2 * shm_linear_most + 1, 2, true}) != Algorithm::shm_linear);
  REQUIRE(select(Operation::gather, {shm_linear_most, 2, true, false, true}) == Algorithm::shm_linear);
  REQUIRE(select(Operation::gather, {shm_linear_most + 1, 2, true, false, true}) == Algorithm::cma);
  REQUIRE(select(Operation::reduce, {65536, 2}) == Algorithm::linear);
  REQUIRE(select(Operation::reduce, {65536, 3}) == Algorithm::reduce_scatter_gather);
  REQUIRE(select(Operation::reduce, {65536, 2, true}) == Algorithm::shm_cico);
  REQUIRE(select(Operation::reduce_scatter, {65536, 2, true}) == Algorithm::shm_cico);
  const bool oversubscribed = true;
  REQUIRE(select(Operation::reduce, {65536, 2, true, false, true, oversubscribed}) == Algorithm::shm_chain);
  REQUIRE(select(Operation::allreduce, {MiB, 2, true, false, true, oversubscribed}) == Algorithm::shm_chain);
  REQUIRE(select(Operation::allreduce, {MiB, 2, true}) == Algorithm::shm_cico);
  REQUIRE(select(Operation::alltoall, {8, 2}) == Algorithm::pairwise);
  REQUIRE(select(Operation::alltoall, {MiB, 2, true}) == Algorithm::pairwise);
  REQUIRE(select(Operation::alltoall, {MiB, 2, true, false, true}) == Algorithm::cma);
  REQUIRE(select(Operation::alltoall, {8, 100}) == Algorithm::native);
  REQUIRE(select(Operation::alltoall, {MiB, 100}) == Algorithm::pairwise);
}

TEST_CASE("No algorithm is chosen whose slots or pieces have no room for an element, or that has too many") {
  const auto of_elements = [](std::size_t element, std::size_t count, int ranks) {
    Situation situation{element * count, ranks, true};
    situation.element = element;
    situation.owners = std::min(count, static_cast<std::size_t>(ranks));
    situation.share = (count + situation.owners - 1) / situation.owners;
    return situation;
  };
  const auto choice = [](const Situation& situation) { return select(Operation::allreduce, situation); };
  REQUIRE(choice(of_elements(MiB / 4, 8, 2)) == Algorithm::shm_cico);
  REQUIRE(choice(of_elements(MiB / 4, 8, 3)) == Algorithm::reduce_scatter_allgather);
  constexpr std::size_t most_rounds = std::size_t{1} << 16;
  Situation many = of_elements(8, most_rounds * 8, 2);
  many.chunk = 64;
  REQUIRE(choice(many) == Algorithm::reduce_scatter_allgather);
  many.chunk = 128;
  REQUIRE(choice(many) == Algorithm::shm_cico);

  const Override wanted("allreduce=shm_chain");
  REQUIRE(choice(of_elements(16384, 8, 2)) == Algorithm::shm_chain);
  REQUIRE(choice(of_elements(16385, 8, 2)) == Algorithm::shm_cico);
  REQUIRE(choice(of_elements(16384, std::size_t{1} << 18, 2)) == Algorithm::shm_cico);
}

TEST_CASE("Ranks halve and double among many of a node where all nodes have as many") {
  Situation situation = on_nodes(MiB, 1024, 128);
  REQUIRE(select(Operation::bcast, situation) == Algorithm::scatter_allgather);
  REQUIRE(select(Operation::reduce, situation) == Algorithm::recursive_halving);
  situation.fewest_on_node = 127;
  REQUIRE(select(Operation::bcast, situation) != Algorithm::scatter_allgather);
  REQUIRE(select(Operation::reduce, situation) == Algorithm::native);
  REQUIRE(select(Operation::allreduce, situation) == Algorithm::two_level);
}

TEST_CASE("Among many nodes messages are few, or the operation is native") {
  for (const int nodes : {64, 256, 512, 1000, 4096}) {
    for (std::size_t bytes = 16 * 1024; bytes <= 64 * MiB; bytes *= 4) {
      CAPTURE(nodes, bytes);
      Situation situation = on_nodes(bytes, nodes, 1);
      const bool may_be_by_pairs = nodes == 64 && bytes >= MiB / 4; // both are equally fast
      REQUIRE((may_be_by_pairs || select(Operation::allreduce, situation) == Algorithm::recursive_halving));
      if (bytes >= MiB / 4) REQUIRE(select(Operation::bcast, situation) == Algorithm::scatter_allgather);
      const Algorithm gathers = select(Operation::allgather, situation);
      REQUIRE((gathers == Algorithm::recursive_doubling || (gathers == Algorithm::bruck && nodes == 1000)));
      if (bytes <= MiB / 16 && nodes >= 256) REQUIRE(select(Operation::scan, situation) == Algorithm::native);
      for (const Operation operation : reductions) {
        const Algorithm chosen = select(operation, situation);
        REQUIRE((may_be_by_pairs || chosen == Algorithm::recursive_halving || chosen == Algorithm::native));
      }
      situation.commutes = false;
      for (const Operation operation : reductions) {
        const Algorithm chosen = select(operation, situation); // at least 4 KiB for each rank
        if (is_reduce_scatter(operation)) {                    // MPICH aborts with MPI_IN_PLACE
          REQUIRE(chosen == Algorithm::pairwise);
          continue;
        }
        REQUIRE((chosen == Algorithm::native || bytes / static_cast<std::size_t>(nodes) >= least_piece));
        if (nodes >= 512) REQUIRE(chosen == Algorithm::native);
      }
      situation = on_nodes(bytes, nodes, 4);
      const Algorithm chosen = select(Operation::allreduce, situation);
      REQUIRE((keeps_to_nodes(chosen) || chosen == Algorithm::native));
      situation.commutes = false;
      REQUIRE(select(Operation::allreduce, situation) == Algorithm::native);
    }
  }
  REQUIRE(select(Operation::scan, on_nodes(64 * MiB, 64, 1)) == Algorithm::chain);
  REQUIRE(select(Operation::barrier, on_nodes(0, 512, 4)) == Algorithm::dissemination);
  REQUIRE(keeps_to_nodes(select(Operation::allreduce, on_nodes(16 * MiB, 512, 4))));
  for (const Operation operation : {Operation::gather, Operation::scatter}) {
    REQUIRE(select(operation, on_nodes(8, 4, 1)) == Algorithm::linear);
    REQUIRE(select(operation, on_nodes(8, 64, 1)) == Algorithm::binomial); // native would lend
    REQUIRE(select(operation, on_nodes(1024, 512, 1)) == Algorithm::binomial);
    REQUIRE(select(operation, on_nodes(MiB, 512, 1)) == Algorithm::linear);
  }
}

TEST_CASE("Among nodes MPI_Allgatherv of blocks that differ is not left to MPICH's ring") {
  const int on_node = 2;
  for (const int nodes : {2, 3, 64, 1000}) {
    const std::size_t least = std::has_single_bit(static_cast<unsigned>(nodes)) ? MiB / 2 : 81920;
    for (std::size_t bytes = least; bytes <= 16 * MiB; bytes += bytes / 8) {
      CAPTURE(nodes, bytes);
      Situation situation = on_nodes(bytes, nodes, on_node);
      REQUIRE(select(Operation::allgatherv, situation) == select(Operation::allgather, situation));
      situation.even_blocks = false;
      REQUIRE(select(Operation::allgatherv, situation) != Algorithm::native);
    }
  }
}

TEST_CASE("Among nodes MPI_Reduce_scatter is not left to MPICH, which aborts in place") {
  for (const Operation operation : {Operation::reduce_scatter, Operation::reduce_scatter_block}) {
    for (const int nodes : {2, 3, 64, 1000}) {
      for (std::size_t bytes = 8; bytes <= 16 * MiB; bytes *= 2) {
        Situation situation = on_nodes(bytes, nodes, 2);
        CAPTURE(name(operation), nodes, bytes);
        REQUIRE(select(operation, situation) != Algorithm::native);
        situation.commutes = false;
        REQUIRE(select(operation, situation) != Algorithm::native);
      }
    }
  }
}

TEST_CASE("Among few nodes every rank may send to every other, in any order") {
  REQUIRE(keeps_to_nodes(select(Operation::allreduce, on_nodes(16 * MiB, 2, 2))));
  REQUIRE(select(Operation::allreduce, on_nodes(16 * MiB, 2, 1)) == Algorithm::reduce_scatter_allgather);
  REQUIRE(select(Operation::bcast, on_nodes(16 * MiB, 2, 2)) == Algorithm::pipelined_tree);
  Situation situation = on_nodes(16 * MiB, 2, 2);
  situation.commutes = false;
  REQUIRE(select(Operation::allreduce, situation) == Algorithm::two_level);
  situation = on_nodes(16 * MiB, 3, 2);
  situation.commutes = false;
  REQUIRE(select(Operation::allreduce, situation) == Algorithm::reduce_scatter_allgather);
}

TEST_CASE("What the user asks for is checked on several nodes, too") {
  static std::vector<std::string> said;
  set_overrides(parse_overrides("allreduce=reduce_scatter_allgather,reduce=recursive_halving"),
                [](const char* text) { said.emplace_back(text); });
  REQUIRE(select(Operation::allreduce, on_nodes(16 * MiB, 512, 1)) == Algorithm::recursive_halving);
  REQUIRE(said.size() == 1);
  REQUIRE_THAT(said[0], Catch::Contains("every rank would send every other too little at a time"));
  REQUIRE(select(Operation::reduce, {MiB, 3}) == Algorithm::recursive_halving);
  set_overrides({});
}

TEST_CASE("A file's rows have been measured: no model decides between them") {
  set_rows(rows("allreduce ring any any\n"));
  REQUIRE(select(Operation::allreduce, on_nodes(16 * MiB, 512, 1)) == Algorithm::ring);
  set_rows({});
}

TEST_CASE("Rows of a file that earlier ones leave nothing to are found") {
  const auto is_hidden = [](const std::string& earlier, const std::string& row) {
    const std::vector<Row> both = rows(earlier + "\n" + row + "\n");
    const std::vector<Row> found = never_chosen(both);
    if (!found.empty()) REQUIRE(found == std::vector<Row>{both.back()});
    return !found.empty();
  };
  CHECK(is_hidden("bcast native any any", "bcast chain 8192 any"));
  CHECK(is_hidden("bcast native 8192 4", "bcast chain 8192 4"));
  CHECK_FALSE(is_hidden("bcast native 8191 any", "bcast chain 8192 any"));
  CHECK_FALSE(is_hidden("bcast native any 4", "bcast chain 8192 5"));
  CHECK_FALSE(is_hidden("bcast native any any", "reduce linear 8192 any"));
  // Not hidden: the algorithm of the earlier row cannot be used for all ranks, sizes or operations.
  CHECK_FALSE(is_hidden("bcast shm_cico any any", "bcast chain 8192 any"));
  CHECK_FALSE(is_hidden("bcast binomial any any", "bcast chain 8192 any"));
  CHECK_FALSE(is_hidden("allreduce ring any any", "allreduce two_level 8192 any"));
  CHECK(is_hidden("bcast shm_cico any any", "bcast shm_cico 8192 any"));
  CHECK(is_hidden("gather linear any any", "gather binomial 16 any"));
  // Not hidden, because files of bench/run --tune end with the built-in rows.
  CHECK_FALSE(is_hidden("iscan native any any", "iscan cma any 4"));
  CHECK(text(rows("bcast chain any 4\n").front()) == "bcast chain any 4");
  CHECK(text(rows("bcast chain 8192 any\n").front()) == "bcast chain 8192 any");
}

TEST_CASE("A file's costs decide among several nodes, and its rows within one") {
  const Tuned tuned = parse_tuned("bcast binomial any any\n"
                                  "cost latency 2e-5 # of 1 Gbit/s\ncost per_byte 8.5e-09\n");
  REQUIRE(tuned.costs.latency == 2e-5);
  REQUIRE(tuned.costs.per_byte == 8.5e-9);
  REQUIRE(tuned.costs.overhead == default_costs.overhead);
  const std::uint64_t usual = fingerprint();
  set_rows(tuned.rows);
  set_network_costs(tuned.costs);
  REQUIRE(fingerprint() != usual);
  REQUIRE(select(Operation::bcast, {8, 2, true}) == Algorithm::binomial);
  REQUIRE(select(Operation::bcast, on_nodes(16 * MiB, 512, 1)) == Algorithm::scatter_allgather);
  set_rows({});
  set_network_costs(default_costs);
  for (const char* malformed : {"cost", "cost latency", "cost latency 0", "cost latency -1e-6",
                                "cost latency fast", "cost latency 1 2", "cost speed 1", "cost latency inf"})
    REQUIRE_THROWS_WITH(parse_tuned(malformed),
                        Catch::StartsWith("line 1: expected cost") && Catch::Contains("per_byte"));
}

TEST_CASE("A network is taken for the nearest one that is known") {
  const auto found = [](double bytes_per_second) {
    return std::string_view(nearest_network(1 / bytes_per_second).name);
  };
  REQUIRE(found(1e6) == "100 Mbit Ethernet");
  REQUIRE(found(11e6) == "100 Mbit Ethernet");
  REQUIRE(found(80e6) == "1 Gbit Ethernet");
  REQUIRE(found(2.5e9) == "10 Gbit Ethernet");
  REQUIRE(found(9e9) == "100 Gbit RoCE");
  REQUIRE(found(22e9) == "100 Gbit RoCE");
  REQUIRE(found(42e9) == "400 Gbit NDR");
  REQUIRE(std::string_view(nearest_network(0).name) == "400 Gbit NDR"); // too fast to be measured
  for (const Network& network : networks) REQUIRE(name_of_network(network.costs) == network.name);
  NetworkCosts other = default_costs;
  other.team = 1;
  REQUIRE(name_of_network(other) == nullptr);
}

TEST_CASE("More than two nodes do not gather by pairs where their messages would collide") {
  set_network_costs(networks.front().costs);
  REQUIRE(select(Operation::allgather, on_nodes(16 * 1024, 4, 1)) == Algorithm::pairwise);
  REQUIRE(select(Operation::allgather, on_nodes(64 * 1024, 2, 1)) == Algorithm::pairwise);
  REQUIRE(select(Operation::allgather, on_nodes(64 * 1024, 4, 1)) != Algorithm::pairwise);
  set_network_costs(default_costs);
}

TEST_CASE("The number of ranks and the size decide between Bruck's and other algorithms among nodes") {
  REQUIRE(select(Operation::alltoall, on_nodes(8, 1024, 1)) == Algorithm::bruck); // native would lend
  REQUIRE(select(Operation::alltoall, on_nodes(256, 1024, 1)) == Algorithm::bruck);
  REQUIRE(select(Operation::alltoall, on_nodes(MiB, 1024, 1)) == Algorithm::pairwise);
  REQUIRE(select(Operation::allgather, on_nodes(1000 * 8, 1000, 1)) == Algorithm::bruck);
  REQUIRE(select(Operation::allgather, on_nodes(1024 * 8, 1024, 1)) == Algorithm::bruck);
  REQUIRE(select(Operation::allgather, on_nodes(1024 * 64, 1024, 1)) == Algorithm::recursive_doubling);
  REQUIRE(select(Operation::allgather, on_nodes(16 * MiB, 1000, 1)) == Algorithm::recursive_doubling);
}

TEST_CASE("Where slots are used up, what needs none is chosen, and a wish for another is not followed") {
  static std::vector<std::string> said;
  set_overrides(parse_overrides("allreduce=shm_cico"), [](const char* text) { said.emplace_back(text); });
  Situation situation{MiB, 2, true, false, true};
  REQUIRE(select(Operation::allreduce, situation) == Algorithm::shm_cico);
  REQUIRE(select(Operation::bcast, situation) == Algorithm::cma);
  REQUIRE(said.empty());
  situation.has_slots = false;
  REQUIRE(select(Operation::allreduce, situation) == Algorithm::reduce_scatter_allgather);
  REQUIRE(said.size() == 1);
  REQUIRE_THAT(said[0], Catch::Contains(
                            "as memory that the ranks share is used up: reduce_scatter_allgather is used"));
  REQUIRE(select(Operation::bcast, situation) == Algorithm::pipelined_tree);
  REQUIRE(select(Operation::alltoall, situation) == Algorithm::cma);
  set_overrides({});
}

TEST_CASE("An override is followed wherever its algorithm can be used") {
  const Override wanted("bcast=shm_cico,allreduce=recursive_doubling,barrier=native,reduce=shm_chain");
  REQUIRE(select(Operation::reduce, {MiB, 2, true}) == Algorithm::shm_chain);
  REQUIRE(select(Operation::reduce, {MiB, 2}) == Algorithm::reduce_scatter_gather);
  REQUIRE(select(Operation::bcast, {8, 2, true}) == Algorithm::shm_cico);
  REQUIRE(select(Operation::bcast, {MiB, 2, false}) == Algorithm::pipelined_tree);
  REQUIRE(select(Operation::allreduce, {8, 2}) == Algorithm::recursive_doubling);
  REQUIRE(select(Operation::allreduce, {MiB, 2}) == Algorithm::reduce_scatter_allgather);
  REQUIRE(select(Operation::barrier, {0, 2}) == Algorithm::native);
}

TEST_CASE("A wish that cannot be followed is said once for each operation, with the reason") {
  static std::vector<std::string> said;
  set_overrides(parse_overrides("allreduce=recursive_doubling,bcast=shm_cico"),
                [](const char* text) { said.emplace_back(text); });
  select(Operation::allreduce, {8, 2});
  REQUIRE(said.empty());
  for (int call = 0; call < 3; ++call) {
    select(Operation::allreduce, {MiB, 2});
    select(Operation::bcast, {MiB, 3});
  }
  set_overrides({});
  REQUIRE(said.size() == 2);
  REQUIRE_THAT(said[0],
               Catch::Contains("allreduce=recursive_doubling is not followed for 1048576 bytes and 2 "
                               "ranks, as it is for at most 8 KiB: reduce_scatter_allgather is used"));
  REQUIRE_THAT(said[1], Catch::Contains("bcast=shm_cico") && Catch::Contains("share memory") &&
                            Catch::Contains("pipelined_tree is used"));
}

TEST_CASE("The default overrides nothing") {
  REQUIRE(parse_overrides("auto") == Overrides{});
  REQUIRE(parse_overrides("bcast=auto") == Overrides{});
}

TEST_CASE("Malformed overrides are reported with what is accepted") {
  for (const char* malformed :
       {"", "native", "bcast", "bcast=", "bcast=fast", "bcast=native,", "=native", "cast=native",
        "bcast=exchange", "ibcast=cma", "igather=native", "bcast=native allreduce=native"}) {
    REQUIRE_THROWS_AS(parse_overrides(malformed), std::invalid_argument);
  }
  REQUIRE_THROWS_WITH(parse_overrides("bcast=fast"),
                      Catch::Equals("for bcast one of auto, native, binomial, pipelined_tree, chain, "
                                    "scatter_allgather, shm_linear, shm_cico, cma"));
}

TEST_CASE("docs/settings.md lists the algorithms of each operation") {
  std::ifstream page(SETTINGS_PAGE);
  std::map<std::string, std::string> listed; // the algorithms of each operation
  const std::string heading = "## Algorithms that MPI_HELPER_ALGORITHM accepts";
  bool is_below = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) is_below = line == heading;
    const auto border = line.find(" | ");
    if (!is_below || !line.starts_with("| ") || !line.ends_with(" |") || border == line.npos) continue;
    std::istringstream operations(line.substr(2, border - 2));
    for (std::string one; std::getline(operations >> std::ws, one, ',');)
      listed[one] = line.substr(border + 3, line.size() - border - 5);
  }
  REQUIRE(listed.erase("operation") == 1);
  REQUIRE(listed.size() == static_cast<std::size_t>(Operation::operations));
  for (const auto& [operation, algorithms] : listed)
    CHECK_THROWS_WITH(parse_overrides(operation + "=?"),
                      "for " + operation + " one of auto, native, " + algorithms);
}

TEST_CASE("The rows of a file stand in for the built-in ones of their operations") {
  set_rows(rows("# by hand\n"
                "bcast  pipelined_tree  1000 2  # little\n\n"
                "barrier native any any\n"
                "bcast binomial any any\n"));
  REQUIRE(select(Operation::bcast, {1000, 2, true}) == Algorithm::pipelined_tree);
  REQUIRE(select(Operation::bcast, {1000, 3, true}) == Algorithm::binomial);
  REQUIRE(select(Operation::bcast, {MiB, 3, true}) ==
          Algorithm::native); // binomial cannot be used for 1 MiB, and no other row is left
  REQUIRE(select(Operation::barrier, {0, 2}) == Algorithm::native);
  REQUIRE(select(Operation::allreduce, {MiB, 2}) == Algorithm::reduce_scatter_allgather);
  set_rows({});
  REQUIRE(select(Operation::barrier, {0, 2}) == Algorithm::dissemination);
}

TEST_CASE("The fingerprint tells whether choices may differ") {
  const std::uint64_t usual = fingerprint();
  {
    const Override wanted("bcast=pipelined_tree");
    REQUIRE(fingerprint() != usual);
  }
  set_rows(rows("barrier native any any\n"));
  const std::uint64_t of_rows = fingerprint();
  set_rows(rows("barrier native any 1000000\n"));
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
  REQUIRE(rows(text) == all);
}

TEST_CASE("Malformed rows are reported with their line and what is accepted") {
  for (const char* malformed :
       {"bcast", "bcast chain 5", "bcast chain 5 2 1", "bcast chain -5 2", "bcast chain 5k 2",
        "cast chain 5 2", "ibcast cma 5 2", "bcast ring 5 2", "bcast chain 5 99999999999"}) {
    REQUIRE_THROWS_WITH(rows(std::string("\n# fine\n") + malformed), Catch::StartsWith("line 3: expected "));
  }
}
