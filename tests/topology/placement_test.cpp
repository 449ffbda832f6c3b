// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "support/catch.hpp"
#include "topology/placement.hpp"

#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <vector>

using namespace helper::topology;

namespace {

Cpuset set(const std::string& list) {
  return Cpuset::parse(list).value();
}

std::string text(const std::vector<Cpuset>& sets) {
  std::string text;
  for (const Cpuset& one : sets) text += (text.empty() ? "" : " ") + one.str();
  return text;
}

/// A machine with 16 PUs: four NUMA nodes, each with two cores of two PUs.
const Machine& two_packages() {
  static const Machine machine = Machine::described("package:2 numa:2 core:2 pu:2");
  return machine;
}

/// A machine numbered as is usual on Linux: the first PUs of all cores come before the second ones.
const Machine& far_siblings() {
  static const Machine machine = Machine::described("package:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)");
  return machine;
}

const Machine& one_pu() {
  static const Machine machine = Machine::described("core:1 pu:1");
  return machine;
}

std::string object(const std::string& type, int index, unsigned pus, const std::string& children = "") {
  return fmt::format(R"(<object type="{0}" os_index="{1}" cpuset="{2:#x}" complete_cpuset="{2:#x}" )"
                     R"(allowed_cpuset="{2:#x}" nodeset="{3:#x}" complete_nodeset="{3:#x}" )"
                     R"(allowed_nodeset="{3:#x}">{4}</object>)",
                     type, index, pus, type == "Machine" ? 3 : 1 << (type == "NUMANode" ? index : 0),
                     children);
}

/// A machine that no synthetic description can express: a core of two PUs, two cores of one PU, and a NUMA
/// node that is nearest to no PU.
const Machine& uneven() {
  static const Machine machine = Machine::described(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<topology version=\"2.0\">" +
      object("Machine", 0, 0xf,
             object("NUMANode", 1, 0xf) +
                 object("Package", 0, 0xf,
                        object("NUMANode", 0, 0xf) +
                            object("Core", 0, 0x3, object("PU", 0, 0x1) + object("PU", 1, 0x2)) +
                            object("Core", 1, 0x4, object("PU", 2, 0x4)) +
                            object("Core", 2, 0x8, object("PU", 3, 0x8)))) +
      "</topology>");
  return machine;
}

/// Returns the places of `members` members under policy `name`.
std::string placed(const Machine& machine, const std::string& name, const std::string& usable, int members) {
  return text(place(machine, parse_policy(name, set(usable)), set(usable), members));
}

/// Returns the set that each rank of a node gets, if rank i was given given[i].
std::vector<Cpuset> shares(const Machine& machine, const std::vector<Cpuset>& given) {
  std::vector<Cpuset> all;
  for (int rank = 0; rank < std::ssize(given); ++rank) all.push_back(share(machine, given, rank));
  return all;
}

} // namespace

TEST_CASE("a machine of the imagination is all usable") {
  CHECK(two_packages().usable() == set("0-15"));
  CHECK(one_pu().usable() == set("0"));
  CHECK(uneven().usable() == set("0-3"));
}

TEST_CASE("second-level caches: of the first core, if there are any") {
  CHECK(Machine::described("package:2 l3:1 l2:4(size=524288) core:1 pu:2").second_level_cache() == 524288);
  CHECK(two_packages().second_level_cache() == 0);
}

TEST_CASE("descriptions that hwloc does not understand") {
  CHECK_THROWS_AS(Machine::described("packages and cores"), std::invalid_argument);
  CHECK_THROWS_AS(Machine::described("<topology>"), std::invalid_argument);
}

TEST_CASE("parts of a set") {
  const Cpuset some = set("1,4-6,13,99");
  CHECK(text(two_packages().pus(some)) == "1 4 5 6 13");
  CHECK(text(two_packages().cores(some)) == "1 4-5 6 13");
  CHECK(text(two_packages().numa_nodes(some)) == "1 4-6 13");
  CHECK(text(far_siblings().pus(set("0-7"))) == "0 4 1 5 2 6 3 7");
  CHECK(text(far_siblings().cores(set("0-7"))) == "0,4 1,5 2,6 3,7");
  CHECK(text(uneven().cores(set("0-3"))) == "0-1 2 3");
  CHECK(two_packages().pus(Cpuset()).empty());
}

TEST_CASE("positions: neighbours' differ by little, whatever their numbers") {
  CHECK(far_siblings().position(set("4")) == 1);
  CHECK(far_siblings().position(set("1,2")) == 2);
  CHECK(far_siblings().position(set("3,6,7")) == 5);
  CHECK(far_siblings().position(set("99")) == 0);
}

TEST_CASE("compact: neighbours, core by core") {
  CHECK(placed(two_packages(), "compact", "0-15", 5) == "0 1 2 3 4");
  CHECK(placed(far_siblings(), "compact", "0-7", 5) == "0 4 1 5 2");
  CHECK(placed(two_packages(), "compact", "1,4-6,13", 7) == "1 4 5 6 13 1 4");
  CHECK(placed(one_pu(), "compact", "0", 3) == "0 0 0");
}

TEST_CASE("scatter: far apart, a core's second processing unit last") {
  CHECK(placed(two_packages(), "scatter", "0-15", 17) == "0 8 4 12 2 10 6 14 1 9 5 13 3 11 7 15 0");
  CHECK(placed(far_siblings(), "scatter", "0-7", 8) == "0 2 1 3 4 6 5 7");
  CHECK(placed(two_packages(), "scatter", "1,4-6,13", 6) == "1 13 4 6 5 1");
  CHECK(placed(uneven(), "scatter", "0-3", 4) == "0 2 3 1");
  CHECK(placed(one_pu(), "scatter", "0", 2) == "0 0");
}

TEST_CASE("numa: all of a node that may be used, node by node") {
  CHECK(placed(two_packages(), "numa", "0-15", 5) == "0-3 4-7 8-11 12-15 0-3");
  CHECK(placed(two_packages(), "numa", "1,4-6,13", 4) == "1 4-6 13 1");
  CHECK(placed(uneven(), "numa", "0-3", 2) == "0-3 0-3");
  CHECK(placed(one_pu(), "numa", "0", 2) == "0 0");
}

TEST_CASE("list: its processing units, ascending") {
  CHECK(placed(two_packages(), "8,0-2", "0-15", 5) == "0 1 2 8 0");
  CHECK(placed(one_pu(), "0", "0", 2) == "0 0");
}

TEST_CASE("none: nobody is bound") {
  const auto places = place(two_packages(), parse_policy("none", set("0-15")), set("0-15"), 3);
  CHECK(places == std::vector<Cpuset>(3));
}

TEST_CASE("where nothing is usable nobody is bound") {
  for (const auto kind :
       {Policy::PolicyKind::compact, Policy::PolicyKind::scatter, Policy::PolicyKind::numa}) {
    CHECK(place(two_packages(), {kind, {}}, Cpuset(), 2) == std::vector<Cpuset>(2));
  }
}

TEST_CASE("a placement that cannot be is refused with all that is needed to mend it") {
  for (const char* value : {"", "Compact", "compact ", "close", "0-", "1,,2", "0 1", "3-1", "2-5,8-9"}) {
    CHECK_THROWS_WITH(parse_policy(value, set("0-3,8")),
                      "none, compact, scatter, numa, or a list of processing units among 0-3,8");
  }
  CHECK_THROWS_AS(parse_policy("x", set("0")), std::invalid_argument);
}

TEST_CASE("ranks that were given the same share it out") {
  const Cpuset all = set("0-15");
  const auto among = [&](std::size_t ranks) { return text(shares(two_packages(), {ranks, all})); };
  CHECK(among(1) == "0-15");
  CHECK(among(2) == "0-7 8-15");
  CHECK(among(3) == "0-3 4-9 10-15");
  CHECK(among(4) == "0-3 4-7 8-11 12-15");
  CHECK(among(8) == "0-1 2-3 4-5 6-7 8-9 10-11 12-13 14-15");
  CHECK(among(16) == "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15");
  CHECK(among(18) == "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0 1");
  CHECK(text(shares(far_siblings(), {2, set("0-7")})) == "0-1,4-5 2-3,6-7");
  CHECK(text(shares(far_siblings(), {3, set("0-1,4-6")})) == "0,4 1,5 6");
  CHECK(text(shares(one_pu(), {3, set("0")})) == "0 0 0");
}

TEST_CASE("shares are disjoint and nothing is left over, as long as there is enough") {
  for (const Machine* machine : {&two_packages(), &far_siblings(), &uneven()}) {
    const Cpuset all = machine->usable();
    for (int ranks = 1; ranks <= all.size(); ++ranks) {
      Cpuset together;
      int sum = 0;
      for (const Cpuset& one : shares(*machine, {static_cast<std::size_t>(ranks), all})) {
        CHECK_FALSE(one.empty());
        together |= one;
        sum += one.size();
      }
      CHECK(together == all);
      CHECK(sum == all.size());
    }
  }
}

TEST_CASE("ranks that were given different sets keep them") {
  CHECK(text(shares(two_packages(), {set("0-7"), set("8-15")})) == "0-7 8-15");
  CHECK(text(shares(two_packages(), {set("0-7"), set("4-9")})) == "0-7 4-9");
  // Two ranks on each package, bound as by a launcher.
  CHECK(text(shares(two_packages(), {set("0-7"), set("8-15"), set("0-7"), set("8-15"), set("3")})) ==
        "0-3 8-11 4-7 12-15 3");
}

TEST_CASE("threads of the library's own go beside the application's") {
  const auto beside = [](const std::string& taken, const std::string& usable, int count) {
    return text(place_beside(two_packages(), set(taken), set(usable), count));
  };
  CHECK(beside("0", "0-15", 4) == "1 2 3 4");
  CHECK(beside("6", "0-15", 9) == "7 4 5 0 1 2 3 8 9");
  CHECK(beside("0,2", "0-3", 3) == "1 3 0");
  CHECK(beside("0", "0-1", 3) == "1 0 1");
  CHECK(beside("0", "8-9", 3) == "8 9 8");
  CHECK(beside("", "3-4", 2) == "3 4");
  CHECK(beside("0-15", "0-7", 2) == "0-7 0-7");
  CHECK(beside("0", "0", 2) == "0 0");
  CHECK(beside("0", "0-15", 0).empty());
}

TEST_CASE("the report has a line for a member") {
  CHECK(binding_report(0, set("0"), true) == "member 0 may run on 0 (bound by the team)\n");
  CHECK(binding_report(1, set("2-3,8"), false) == "member 1 may run on 2-3,8 (left as found)\n");
}
