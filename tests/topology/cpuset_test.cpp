// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "support/catch.hpp"
#include "topology/cpuset.hpp"

#include <string>
#include <utility>
#include <vector>

using helper::topology::Cpuset;

namespace {

Cpuset set(const std::string& list) {
  return Cpuset::parse(list).value();
}

} // namespace

TEST_CASE("a cpuset is written as it is read") {
  for (const std::string list : {"", "0", "0-3,8", "63-64", "1,3,5,1000-2000", "65535"}) {
    CHECK(set(list).str() == list);
  }
  CHECK(set("8,0-1,2,3-3").str() == "0-3,8");
  CHECK(set("007").str() == "7");
}

TEST_CASE("what is not a list of processing units is not read") {
  for (const std::string list : {"x", "0x3", " 1", "1 ", "1, 2", "0;1", ",", "1,", ",1", "1,,2", "-1", "1-",
                                 "3-1", "1-2-3", "1.5", "+1", "65536", "0-99999999999999999999"}) {
    CAPTURE(list);
    CHECK_FALSE(Cpuset::parse(list));
  }
}

TEST_CASE("a cpuset is a value") {
  const Cpuset a = set("0-3,8");
  Cpuset b = a;
  CHECK(b == a);
  b |= Cpuset::of(9);
  CHECK(b != a);
  CHECK(a.str() == "0-3,8");
  b = a;
  CHECK(b == a);
  const Cpuset c = std::move(b);
  b = c;
  CHECK(b == a);
}

TEST_CASE("operations on cpusets") {
  const Cpuset a = set("0-3,8");
  CHECK(a.size() == 5);
  CHECK_FALSE(a.empty());
  CHECK(a.pus() == std::vector{0, 1, 2, 3, 8});
  CHECK((a & set("2-9")) == set("2-3,8"));
  CHECK((a | set("2-5")) == set("0-5,8"));
  CHECK((a - set("2-9")) == set("0-1"));
  CHECK(a.includes(set("1,8")));
  CHECK(a.includes(a));
  CHECK_FALSE(a.includes(set("1,9")));

  const Cpuset none;
  CHECK(none.size() == 0);
  CHECK(none.empty());
  CHECK(none.pus().empty());
  CHECK(none == set(""));
  CHECK(a.includes(none));
}
