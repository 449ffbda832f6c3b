// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests MPI_Alloc_mem in one process, independently of other processes.

#include <mpi.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "collective/memory.hpp"
#include "support/catch.hpp"

using test_support::Memory;

TEST_CASE("Any size can be allocated and freed, many times, also nothing") {
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> all(300);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto bytes = static_cast<MPI_Aint>(i * i * 16);
      REQUIRE(MPI_Alloc_mem(bytes, MPI_INFO_NULL, static_cast<void*>(&all[i])) == MPI_SUCCESS);
      std::fill_n(static_cast<char*>(all[i]), bytes, 'x');
    }
    for (void* const memory : all) REQUIRE(MPI_Free_mem(memory) == MPI_SUCCESS);
  }
}

namespace {

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// Returns how many bytes of shared memory are resident in the process.
std::size_t shared_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kibibytes = 0;
    if (word == "RssShmem:" && status >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Allocates `count` buffers of `bytes` bytes, writes to them, and frees them.
void use_much(std::size_t count, std::size_t bytes) {
  std::vector<void*> all(count);
  for (void*& memory : all) {
    REQUIRE(MPI_Alloc_mem(static_cast<MPI_Aint>(bytes), MPI_INFO_NULL, static_cast<void*>(&memory)) ==
            MPI_SUCCESS);
    std::memset(memory, 1, bytes);
  }
  for (void* const memory : all) REQUIRE(MPI_Free_mem(memory) == MPI_SUCCESS);
}

} // namespace

TEST_CASE("However much is allocated, the process has its descriptors left") {
  const Memory first(10000); // the first allocation makes the file
  const std::size_t before = open_descriptors();
  std::vector<void*> all(1000);
  for (void*& memory : all)
    REQUIRE(MPI_Alloc_mem(8192, MPI_INFO_NULL, static_cast<void*>(&memory)) == MPI_SUCCESS);
  CHECK(open_descriptors() == before);
  for (void* const memory : all) REQUIRE(MPI_Free_mem(memory) == MPI_SUCCESS);
}

TEST_CASE("What is freed is kept for the next, up to 64 MiB") {
  const std::size_t before = shared_memory();
  for (const std::size_t bytes : {std::size_t{5000}, mebibyte / 2, mebibyte, 3 * mebibyte, 9 * mebibyte}) {
    use_much(20, bytes);
    CHECK(shared_memory() <= before + 64 * mebibyte);
  }
  use_much(2, 65 * mebibyte);
  CHECK(shared_memory() <= before + 64 * mebibyte);
  use_much(1, 61 * mebibyte);
  CHECK(shared_memory() >= 61 * mebibyte);
}

TEST_CASE("What a child made by fork frees or allocates is not what its parent allocates next") {
  constexpr std::size_t ints = 10000;
  std::int32_t* before = nullptr;
  MPI_Alloc_mem(ints * sizeof *before, MPI_INFO_NULL, static_cast<void*>(&before));
  const pid_t child = fork();
  if (child == 0) {
    MPI_Free_mem(before);
    const Memory of_child(ints);
    std::fill_n(of_child.get(), ints, 9);
    _exit(0);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  std::fill_n(before, ints, 7);
  const Memory other(ints);
  CHECK(std::count(before, before + ints, 7) == ints);
  CHECK(std::count(other.get(), other.get() + ints, 9) == 0);
  MPI_Free_mem(before);
}

TEST_CASE("What a child made by fork frees, the parent still has") {
  constexpr std::size_t ints = 10000;
  const Memory memory(ints);
  std::fill_n(memory.get(), ints, 7);
  const pid_t child = fork();
  if (child == 0) _exit(MPI_Free_mem(memory.get()));
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  REQUIRE(std::count(memory.get(), memory.get() + ints, 7) == ints);
}

TEST_CASE("Memory that no file of the process may be as large as can be allocated all the same") {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit few{std::min<rlim_t>(before.rlim_cur, 1 << 20), before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &few);
  void* memory = nullptr;
  const int code = MPI_Alloc_mem(2 << 20, MPI_INFO_NULL, static_cast<void*>(&memory));
  setrlimit(RLIMIT_FSIZE, &before);
  REQUIRE(code == MPI_SUCCESS);
  REQUIRE(MPI_Free_mem(memory) == MPI_SUCCESS);
}
