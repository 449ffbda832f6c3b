// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/program.hpp"

#include <cstdlib>
#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

namespace bench {

int run_program(CLI::App& app, int argc, char** argv, const std::function<void()>& run) {
  try {
    app.parse(argc, argv);
    run();
  } catch (const CLI::ParseError& answer) { // --help, too
    return app.exit(answer);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

} // namespace bench
