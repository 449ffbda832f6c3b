// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "transport/segment.hpp"

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

} // namespace

void make(MPI_Comm node, std::size_t bytes) {
  int rank = 0;
  int size = 0;
  int world_rank = 0;
  PMPI_Comm_rank(node, &rank);
  PMPI_Comm_size(node, &size);
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);

  // Ranks may have set different sizes. MPI and the program need shared memory, too, and may get SIGBUS where
  // it is used up: half of it is theirs.
  unsigned long agreed = std::min(bytes, segment::room() / 2 / static_cast<std::size_t>(size));
  PMPI_Allreduce(MPI_IN_PLACE, &agreed, 1, MPI_UNSIGNED_LONG, MPI_MIN, node);
  const segment::Name name = segment::new_name();
  own_part = agreed == 0 ? nullptr : segment::create(name, agreed);

  std::vector<segment::Name> names(static_cast<std::size_t>(size));
  std::vector<int> world_ranks(static_cast<std::size_t>(size));
  PMPI_Allgather(name.data(), sizeof name, MPI_CHAR, names.data(), sizeof name, MPI_CHAR, node);
  PMPI_Allgather(&world_rank, 1, MPI_INT, world_ranks.data(), 1, MPI_INT, node);
  int complete = own_part != nullptr ? 1 : 0;
  for (std::size_t other = 0; other < names.size(); ++other) {
    const bool mine = static_cast<int>(other) == rank;
    const std::byte* const address =
        mine ? own_part : segment::open(names[other], agreed, segment::Access::read);
    if (address == nullptr) complete = 0;
    parts_by_rank()[world_ranks[other]] = {address, static_cast<int>(other)};
  }
  PMPI_Allreduce(MPI_IN_PLACE, &complete, 1, MPI_INT, MPI_MIN, node); // also: all have mapped
  if (own_part != nullptr) segment::unlink(name);
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

bool holds(std::size_t offset, std::size_t bytes) noexcept {
  return offset <= size() && bytes <= size() - offset;
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
