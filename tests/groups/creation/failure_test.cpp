// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Processes make a communicator after one of them has died. See survivors.cpp and docs/groups.md.

#include <string>

#include "groups/creation/launch.hpp"
#include "support/catch.hpp"

namespace {

/// The launcher kills all processes if a child of it is killed. So each child is a shell that runs the
/// program and then exits normally. The shell survives SIGUSR1, by which the launcher reports the failure.
const std::string shell = R"(sh -c 'trap : USR1; "$@"; exit 0' sh )";

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

} // namespace

TEST_CASE("Who survives makes a communicator without the dead, and reduces on it") {
  const std::string transport = GENERATE("", "-genv MPIR_CVAR_NOLOCAL 1 -genv UCX_TLS tcp ");
  const std::string algorithm = GENERATE("direct", "recursive", "multiway");
  const std::string where = GENERATE("outside", "in_phase");
  CAPTURE(transport, algorithm, where);
  const std::string said = test_support::launch("-disable-auto-cleanup " + transport + "-n 4 " + shell +
                                                SURVIVORS + " " + algorithm + " " + where);
  CAPTURE(said);
  CHECK(count(said, "regrouped") == 3);
}
