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
/// nothing remains when the processes end. A Region has what the owner sends to the others.
struct Region {
  pid_t owner = 0;
  int descriptor = -1;     ///< the owner's
  std::uint64_t begin = 0; ///< in the file: where no other region has been
  std::uint64_t bytes = 0;
  dev_t device = 0; ///< device and inode tell whether the descriptor still is that of the file
  ino_t inode = 0;

  /// Allocates at least `bytes` bytes of any contents, aligned to pages; returns nullptr if there are too
  /// many regions, or the system has no memory for us. Any thread may call it.
  static std::byte* allocate(std::size_t bytes) noexcept;

  /// Does the same for MPI_Alloc_mem with this info; returns nullptr also if the others could not map it, or
  /// it is to be aligned to more than a page. Any thread may call it, in MPI.
  static std::byte* allocate(std::size_t bytes, MPI_Info info) noexcept;

  /// Frees what allocate() returned; returns false if `address` is something else. Up to 64 MiB in all are
  /// kept for the next regions of the same sizes. Other memory is given back even if other processes
  /// still have it mapped, which then read zeros. In a child made by fork it is only unmapped. Any thread may
  /// call it.
  static bool release(const void* address) noexcept;

  /// The function find() returns the region that bytes [address, address + bytes) are in, if all of them are
  /// in one region of this process. Any thread may call it.
  struct RegionPart;
  static std::optional<RegionPart> find(const void* address, std::size_t bytes) noexcept;
};

struct Region::RegionPart {
  Region region;
  std::size_t offset;
};

/// Finds out whether every process of the node can map the regions of every other, by doing it. It is
/// collective over `node`, and called once, at MPI_Init.
void try_mapping(const ranks::NodeRanks& node);

/// Returns whether the processes of the node can map one another's regions; the answer is the same at all of
/// them. Any thread may call it.
bool can_map() noexcept;

/// A region of another process as this one reads it.
class Mapping {
public:
  /// Returns the mapping of a region; nullptr if that cannot be mapped, or is not what its owner said. They
  /// are kept, so that the next call for the same region is quick; how many is bounded, and how much of that
  /// their owners have given back. Any thread may call it.
  static std::shared_ptr<const Mapping> of(const Region& region);

  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  const std::byte* address() const noexcept { return address_; }
  std::size_t bytes() const noexcept { return bytes_; }

  /// Returns whether its owner has given the region back, of which nothing is in memory then, nor of one that
  /// nobody has written to, or that is swapped out.
  bool is_given_back() const noexcept;

private:
  explicit Mapping(const Region& region) noexcept;

  const std::byte* address_ = nullptr;
  std::size_t bytes_ = 0;
};

} // namespace helper::shm
