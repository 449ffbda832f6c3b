// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "support/catch.hpp"

namespace test_support {

/// Returns the output of `mpiexec arguments`. After `seconds` seconds it is ended with all its processes.
inline std::string launch(const std::string& arguments, int seconds = 20) {
  struct Close {
    void operator()(FILE* program) const { pclose(program); }
  };
  const std::string command =
      "timeout " + std::to_string(seconds) + " " + MPIEXEC + " " + arguments + " 2>/dev/null";
  const std::unique_ptr<FILE, Close> program(popen(command.c_str(), "r"));
  REQUIRE(program != nullptr);
  std::string said;
  for (int character = std::fgetc(program.get()); character != EOF; character = std::fgetc(program.get()))
    said += static_cast<char>(character);
  return said;
}

} // namespace test_support
