// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "gnuplot.hpp"

#include <array>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace bench {

std::string colour(std::size_t curve) {
  constexpr std::array colours{"0072B2", "D55E00", "009E73", "CC79A7", "E69F00", "56B4E9"};
  return curve == 0 ? "404040" : colours[(curve - 1) % colours.size()];
}

void run_gnuplot(std::string script) {
  std::string program = "gnuplot";
  char* arguments[] = {program.data(), script.data(), nullptr};
  pid_t child;
  const int error = posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ);
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start gnuplot");
  int status;
  if (waitpid(child, &status, 0) != child || status != 0)
    throw std::runtime_error("gnuplot failed on " + script);
}

} // namespace bench
