// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Ranks that are killed at any time leave nothing in shared memory.

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "support/catch.hpp"

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

/// Runs a program with several ranks, and reads the process ids that they print.
class Run {
public:
  explicit Run(const std::string& program)
      : output_(
            popen((MPIEXEC " -n " + std::to_string(ranks) + " " + program + " 2>/dev/null").c_str(), "r")) {
    REQUIRE(output_ != nullptr);
    for (long& process : processes_) REQUIRE(std::fscanf(output_.get(), "%ld", &process) == 1);
  }

  const std::vector<long>& processes() const { return processes_; }

  /// Waits until the launcher has ended. Checks that no process has left a segment.
  void leaves_nothing() {
    while (std::fgetc(output_.get()) != EOF) {
    }
    for (const long process : processes_) CHECK_FALSE(left_by(process));
  }

private:
  const std::unique_ptr<FILE, Close> output_;
  std::vector<long> processes_ = std::vector<long>(ranks);
};

} // namespace

TEST_CASE("killed ranks leave no segments") {
  const int killed = GENERATE(1, ranks); // the launcher kills the other ranks
  Run run(ENDLESS_PROGRAM);
  for (int i = 0; i < killed; ++i)
    REQUIRE(kill(static_cast<pid_t>(run.processes()[static_cast<std::size_t>(i)]), SIGKILL) == 0);
  run.leaves_nothing();
}

TEST_CASE("ranks that are killed while they make their segments leave none") {
  const int reservation = GENERATE(1, 2, 3, 6);
  Run run(DYING_PROGRAM " " + std::to_string(reservation));
  run.leaves_nothing();
}
