// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "support/catch_runner.hpp"

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
