// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "ranks/node_ranks.hpp"

namespace helper::shm {

/// Memory of a process that other processes of the same user and node can map for reading.
///
/// All regions of a process are parts of one file. The file has no name, only a descriptor of the owner, so
/// nothing remains when the processes end. A Region is what the owner sends to other processes.
struct Region {
  pid_t owner = 0;
  int descriptor = -1;     ///< the owner's descriptor of the file
  std::uint64_t begin = 0; ///< offset in the file, which no other region has had
  std::uint64_t bytes = 0;
  dev_t device = 0; ///< device and inode show whether the descriptor still belongs to the file
  ino_t inode = 0;

  /// Allocates at least `bytes` bytes of any contents, aligned to pages. Returns nullptr if there are too
  /// many regions, or the system has no memory. Any thread may call it.
  static std::byte* allocate(std::size_t bytes) noexcept;

  /// Allocates memory for MPI_Alloc_mem with `info`. Returns nullptr also if other processes could not map
  /// the memory, or if `info` requests more than page alignment. Any thread may call it within an MPI call.
  static std::byte* allocate(std::size_t bytes, MPI_Info info) noexcept;

  /// Frees what allocate() returned; returns false for other addresses. Keeps up to 64 MiB of freed memory
  /// for new regions. Gives other memory back to the system: its mappings then read zeros. A forked child
  /// only unmaps the region. Any thread may call it.
  static bool release(const void* address) noexcept;

  /// find() returns the region that contains bytes [address, address + bytes); nothing if no region of this
  /// process contains all of them. Any thread may call it.
  struct RegionPart;
  static std::optional<RegionPart> find(const void* address, std::size_t bytes) noexcept;
};

struct Region::RegionPart {
  Region region;
  std::size_t offset;
};

/// Tries whether every process of the node can map the regions of every other. Collective, at MPI_Init.
void try_mapping(const ranks::NodeRanks& node);

/// Returns whether the node's processes can map one another's regions; equal at all. Any thread may call it.
bool can_map() noexcept;

/// A region of another process, mapped into this one.
class Mapping {
public:
  /// Returns the mapping of a region; nullptr if it cannot be mapped, or does not match its description.
  /// Mappings are kept, in limited number and size, so that the next call is fast. Any thread may call it.
  static std::shared_ptr<const Mapping> of(const Region& region);

  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  const std::byte* address() const noexcept { return address_; }
  std::size_t bytes() const noexcept { return bytes_; }

  /// Returns whether the owner has given the memory back to the system. Tests whether the first page is in
  /// memory. So this is also true if nobody has written that page, or it is swapped out.
  bool is_given_back() const noexcept;

private:
  explicit Mapping(const Region& region) noexcept;

  const std::byte* address_ = nullptr;
  std::size_t bytes_ = 0;
};

} // namespace helper::shm
