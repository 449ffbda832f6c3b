// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <random>
#include <unordered_map>
#include <vector>

namespace helper::transport::arena {

namespace {

// Written once by make(), before any other thread communicates; never unmapped, since threads may until the
// process ends.
std::byte* own_part = nullptr;
std::size_t part_size = 0;
int index_on_node = 0;
struct Part {
  const std::byte* address;
  int index;
};
std::unordered_map<int, Part>& parts_by_rank() {
  static auto* const by_world_rank = new std::unordered_map<int, Part>;
  return *by_world_rank;
}

/// A segment's name, of equal length everywhere so that it can be gathered.
using Name = std::array<char, 64>;

Name new_name() {
  Name name{};
  std::random_device random;
  std::snprintf(name.data(), name.size(), "/mpi_helper.%ld.%08x%08x", static_cast<long>(getpid()), random(),
                random());
  return name;
}

std::byte* map(int segment, std::size_t bytes, int protection) {
  void* const address = mmap(nullptr, bytes, protection, MAP_SHARED, segment, 0);
  return address == MAP_FAILED ? nullptr : static_cast<std::byte*>(address);
}

/// Makes and maps this process's segment; nullptr if the system does not let us.
std::byte* create(const Name& name, std::size_t bytes) {
  const int segment = shm_open(name.data(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (segment < 0) return nullptr;
  // Reserved now: a file system that is full later would answer a write with SIGBUS.
  const bool reserved = posix_fallocate(segment, 0, static_cast<off_t>(bytes)) == 0;
  std::byte* const address = reserved ? map(segment, bytes, PROT_READ | PROT_WRITE) : nullptr;
  close(segment);
  if (address == nullptr) shm_unlink(name.data());
  return address;
}

const std::byte* open_others(const Name& name, std::size_t bytes) {
  const int segment = shm_open(name.data(), O_RDONLY | O_CLOEXEC, 0);
  if (segment < 0) return nullptr;
  const std::byte* const address = map(segment, bytes, PROT_READ);
  close(segment);
  return address;
}

} // namespace

void make(MPI_Comm node, std::size_t bytes) {
  int rank = 0;
  int size = 0;
  int world_rank = 0;
  PMPI_Comm_rank(node, &rank);
  PMPI_Comm_size(node, &size);
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);

  // Ranks may have set different sizes.
  unsigned long agreed = bytes;
  PMPI_Allreduce(MPI_IN_PLACE, &agreed, 1, MPI_UNSIGNED_LONG, MPI_MIN, node);
  const Name name = new_name();
  own_part = agreed == 0 ? nullptr : create(name, agreed);

  std::vector<Name> names(static_cast<std::size_t>(size));
  std::vector<int> world_ranks(static_cast<std::size_t>(size));
  PMPI_Allgather(name.data(), sizeof(Name), MPI_CHAR, names.data(), sizeof(Name), MPI_CHAR, node);
  PMPI_Allgather(&world_rank, 1, MPI_INT, world_ranks.data(), 1, MPI_INT, node);
  int complete = own_part != nullptr ? 1 : 0;
  for (std::size_t other = 0; other < names.size(); ++other) {
    const bool mine = static_cast<int>(other) == rank;
    const std::byte* const address = mine ? own_part : open_others(names[other], agreed);
    if (address == nullptr) complete = 0;
    parts_by_rank()[world_ranks[other]] = {address, static_cast<int>(other)};
  }
  PMPI_Allreduce(MPI_IN_PLACE, &complete, 1, MPI_INT, MPI_MIN, node); // also: all have mapped
  if (own_part != nullptr) shm_unlink(name.data());
  part_size = agreed;
  index_on_node = rank;
  if (complete != 0) return;
  for (const auto& [of_rank, part] : parts_by_rank()) {
    if (part.address != nullptr) munmap(const_cast<std::byte*>(part.address), agreed);
  }
  parts_by_rank().clear();
  own_part = nullptr;
  part_size = 0;
}

std::byte* own() noexcept {
  return own_part;
}

std::size_t size() noexcept {
  return part_size;
}

const std::byte* part(int world_rank) noexcept {
  const auto found = parts_by_rank().find(world_rank);
  return found == parts_by_rank().end() ? nullptr : found->second.address;
}

int parts() noexcept {
  return static_cast<int>(parts_by_rank().size());
}

int own_index() noexcept {
  return index_on_node;
}

int index(int world_rank) noexcept {
  return parts_by_rank().at(world_rank).index;
}

} // namespace helper::transport::arena
