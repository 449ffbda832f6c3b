// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/program.hpp"

#include <cstdlib>
#include <exception>

#include <fmt/core.h>

namespace bench {

int Program::run(int argc, char** argv, const std::function<void()>& run) {
  try {
    parse(argc, argv);
    run();
  } catch (const CLI::ParseError& answer) { // --help, too
    return exit(answer);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", get_name(), error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

} // namespace bench
