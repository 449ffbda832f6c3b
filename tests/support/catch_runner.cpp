// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "support/catch_runner.hpp"

#if __has_include(<catch2/catch_session.hpp>) // version 3

#include <catch2/catch_session.hpp>

#include <iostream>

int test_support::run_test_cases(int argc, char** argv) {
  std::streambuf* const before = std::cout.rdbuf(output().rdbuf());
  Catch::Session session;
  session.configData().allowZeroTests = true; // as in version 2: an old MPI may lack all that a test needs
  const int failures = session.run(argc, argv);
  std::cout.rdbuf(before);
  return failures;
}

#else

#define CATCH_CONFIG_RUNNER
#define CATCH_CONFIG_NOSTDOUT
#include <catch2/catch.hpp>

namespace Catch {
std::ostream& cout() {
  return test_support::output();
}
std::ostream& cerr() {
  return test_support::output();
}
std::ostream& clog() {
  return test_support::output();
}
} // namespace Catch

int test_support::run_test_cases(int argc, char** argv) {
  return Catch::Session().run(argc, argv);
}

#endif
