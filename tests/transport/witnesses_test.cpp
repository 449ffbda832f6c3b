// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <vector>

#include "support/catch.hpp"
#include "transport/witnesses.hpp"

using helper::transport::witnesses::Said;
using helper::transport::witnesses::Verdict;

namespace {

Verdict compare(const std::vector<Said>& all) {
  return helper::transport::witnesses::compare(all);
}

} // namespace

TEST_CASE("MPI and the system agree where they have the same nodes, whatever these are called") {
  const Verdict verdict = compare({{0, 7}, {1, 5}, {0, 7}, {1, 5}});
  CHECK_FALSE(verdict.disagree);
  CHECK_FALSE(verdict.system_joins);
  CHECK(verdict.nodes_by_mpi == 2);
  CHECK(verdict.nodes_by_system == 2);
}

TEST_CASE("The system joins nodes that MPI has apart") {
  const Verdict verdict = compare({{0, 7}, {1, 7}, {2, 5}, {2, 5}});
  CHECK(verdict.disagree);
  CHECK(verdict.system_joins);
  CHECK(verdict.nodes_by_mpi == 3);
  CHECK(verdict.nodes_by_system == 2);
}

TEST_CASE("What MPI has on one node the system does not part, but it is a disagreement") {
  for (const Verdict& verdict : {compare({{0, 7}, {0, 5}}), compare({{0, 7}, {0, 5}, {2, 7}, {3, 5}})}) {
    CHECK(verdict.disagree);
    CHECK_FALSE(verdict.system_joins);
  }
}

TEST_CASE("A system that knows nothing of a process is no witness") {
  const Verdict verdict = compare({{0, 7}, {1, 0}, {2, 7}});
  CHECK_FALSE(verdict.disagree);
  CHECK(verdict.nodes_by_system == 0);
}
