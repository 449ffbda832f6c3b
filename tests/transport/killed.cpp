// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Ranks that are killed at any time after MPI_Init leave nothing in shared memory.

#include <catch2/catch.hpp>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr int ranks = 3;

struct Close {
  void operator()(FILE* program) const { pclose(program); }
};

bool left_by(long process) {
  const std::string prefix = "mpi_helper." + std::to_string(process) + ".";
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    if (entry.path().filename().string().rfind(prefix, 0) == 0) return true;
  }
  return false;
}

} // namespace

TEST_CASE("killed ranks leave no segments") {
  const int killed = GENERATE(1, ranks); // whom the launcher does not find dead it kills
  const std::string command = MPIEXEC " -n " + std::to_string(ranks) + " " ENDLESS_PROGRAM " 2>/dev/null";
  const std::unique_ptr<FILE, Close> program(popen(command.c_str(), "r"));
  REQUIRE(program != nullptr);
  std::vector<long> processes(ranks);
  for (long& process : processes) REQUIRE(std::fscanf(program.get(), "%ld", &process) == 1);
  for (int i = 0; i < killed; ++i)
    REQUIRE(kill(static_cast<pid_t>(processes[static_cast<std::size_t>(i)]), SIGKILL) == 0);
  while (std::fgetc(program.get()) != EOF) { // until the launcher has ended
  }
  for (const long process : processes) CHECK_FALSE(left_by(process));
}
