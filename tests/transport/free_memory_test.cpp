// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "shm/free_memory.hpp"
#include "support/catch.hpp"

using helper::shm::free_memory;

namespace {

/// Imitates the files in which the system shows free memory and limits.
class System {
public:
  System() : root_(std::filesystem::temp_directory_path() / ("free_memory." + std::to_string(getpid()))) {}
  ~System() { std::filesystem::remove_all(root_); }
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  void write(const std::string& path, const std::string& text) const {
    const auto file = root_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::size_t room() const { return free_memory(root_.string()); }

private:
  const std::filesystem::path root_;
};

constexpr std::size_t without_limit = std::numeric_limits<std::size_t>::max();

} // namespace

TEST_CASE("memory that is free is what Linux has available") {
  const System system;
  CHECK(system.room() == without_limit);
  system.write("proc/meminfo", "MemTotal:  1000 kB\nMemFree:  10 kB\nMemAvailable:   600 kB\n");
  CHECK(system.room() == 600 * 1024);
  CHECK(free_memory() > 0);
}

TEST_CASE("memory that is free is what the limits of all control groups leave") {
  const System system;
  system.write("proc/meminfo", "MemAvailable:   600 kB\n");
  system.write("proc/self/cgroup", "4:memory:/other\n0::/jobs/7/step\n");
  const std::string job = "sys/fs/cgroup/jobs/7/";
  system.write(job + "step/memory.max", "max\n");
  system.write(job + "step/memory.current", "1000\n");
  CHECK(system.room() == 600 * 1024);
  system.write(job + "memory.max", "100000\n");
  system.write(job + "memory.current", "70000\n");
  CHECK(system.room() == 30000);
  system.write(job + "memory.stat", "anon 500\ninactive_file 20000\nactive_file 10000\n");
  CHECK(system.room() == 50000);
  system.write(job + "memory.current", "150000\n"); // exceeds the limit for a moment
  CHECK(system.room() == 0);
  system.write("proc/self/cgroup", "0::/\n"); // the view from inside a container
  CHECK(system.room() == 600 * 1024);
  system.write("sys/fs/cgroup/memory.max", "9000\n");
  system.write("sys/fs/cgroup/memory.current", "2000\n");
  CHECK(system.room() == 7000);
}
