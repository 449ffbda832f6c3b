// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "ranks/port.hpp"
#include "support/catch.hpp"

using helper::ranks::Port;

namespace {

int largest_tag() {
  int* largest = nullptr;
  int is_set = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&largest), &is_set);
  return *largest;
}

} // namespace

TEST_CASE("Ports that somebody has share no tags, and MPI has all of them") {
  std::vector<Port> ports;
  std::set<int> first_tags;
  std::set<std::int64_t> numbers;
  for (int i = 0; i < 40; ++i) {
    ports.push_back(Port::lease());
    REQUIRE(ports.back().number() != 0);
    const int first = Port::first_tag(ports.back().number());
    CHECK(first % Port::tags == 0);
    CHECK(first >= 0);
    CHECK(first <= largest_tag() - Port::tags + 1);
    first_tags.insert(first);
    numbers.insert(ports.back().number());
    if (i % 3 == 0) ports.erase(ports.begin()); // its tags are leased again only much later
  }
  CHECK(first_tags.size() == 40);
  CHECK(numbers.size() == 40);
}

TEST_CASE("A number that is drawn is leased whatever was leased before, unless its tags are in use") {
  const std::int64_t drawn = Port::first_drawn + 12'345;
  const Port held = Port::lease(drawn);
  CHECK(held.number() == drawn);
  CHECK(Port::lease(drawn).number() < Port::first_drawn);
  CHECK(Port::lease(Port::first_drawn).number() == Port::first_drawn);
}

TEST_CASE("Tags of a port that is given back are leased again, those of one that is kept are not") {
  const Port held = Port::lease();
  Port lost = Port::lease();
  const int lost_tag = Port::first_tag(lost.number());
  lost.keep();
  const int given_back = Port::first_tag(Port::lease().number());
  std::map<int, int> leased{{given_back, 0}, {Port::first_tag(held.number()), 0}, {lost_tag, 0}};
  for (int port = 0; port <= largest_tag() / Port::tags; ++port) { // there may be millions of ports
    const auto found = leased.find(Port::first_tag(Port::lease().number()));
    if (found != leased.end()) ++found->second;
  }
  CHECK(leased[given_back] != 0);
  CHECK(leased[Port::first_tag(held.number())] == 0);
  CHECK(leased[lost_tag] == 0);
}
