// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Many threads of a process create communicators at once; see at_once.cpp.

#include <catch2/catch.hpp>

#include <cstdio>
#include <memory>
#include <string>

namespace {

struct Close {
  void operator()(FILE* program) const { pclose(program); }
};

/// What the program has to say. A program that hangs is ended, with all its processes.
std::string run(const std::string& algorithm) {
  const std::string command =
      "timeout 20 " + std::string(MPIEXEC) + " -n 2 " + PROGRAM + " " + algorithm + " 2>/dev/null";
  const std::unique_ptr<FILE, Close> program(popen(command.c_str(), "r"));
  REQUIRE(program != nullptr);
  std::string said;
  for (int character = std::fgetc(program.get()); character != EOF; character = std::fgetc(program.get()))
    said += static_cast<char>(character);
  return said;
}

} // namespace

TEST_CASE("Threads of the same processes create communicators at once") {
  const std::string algorithm = GENERATE("direct", "recursive", "multiway");
  CAPTURE(algorithm);
  CHECK_THAT(run(algorithm), Catch::Contains("all right"));
}

// Why the recursive algorithm has a communicator for each two leaders. If this fails MPI has been mended.
TEST_CASE("MPI_Intercomm_create over one communicator by several threads fails in this MPI") {
  CHECK_THAT(run("native"), !Catch::Contains("all right"));
}
