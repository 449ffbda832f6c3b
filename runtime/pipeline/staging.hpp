// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/stores.hpp"
#include "shm/room.hpp"
#include "transport/shadow.hpp"

/// Memory for chunks in flight comes from one pool of the process. Its total size is fixed, whatever the
/// sizes of messages and the number of communicators.
namespace helper::pipeline {

/// Bytes cut into chunks of equal size; the last one may be smaller.
class Chunks {
public:
  Chunks(std::size_t total, std::size_t bytes) noexcept : total_(total), bytes_(bytes) {}

  std::size_t total() const noexcept { return total_; }
  std::size_t bytes() const noexcept { return bytes_; } ///< of a chunk

  std::size_t count() const noexcept { return (total_ + bytes_ - 1) / bytes_; }
  std::size_t begin(std::size_t chunk) const noexcept { return chunk * bytes_; }
  std::size_t end(std::size_t chunk) const noexcept { return std::min(total_, (chunk + 1) * bytes_); }
  std::size_t size(std::size_t chunk) const noexcept { return end(chunk) - begin(chunk); }

private:
  std::size_t total_;
  std::size_t bytes_;
};

/// Sets the size of the pool, in bytes. Called when the library begins, before any staging is leased.
void set_staging(std::size_t bytes) noexcept;

/// Returns how many bytes of the pool are leased. Any thread may call it.
std::size_t leased_staging() noexcept;

/// Buffers of equal size, leased from the pool; given back on destruction. Any thread may lease.
class Staging {
public:
  /// Leases 1 to `most` buffers of `bytes` bytes each. If the pool is empty, allocates one buffer. If `bytes`
  /// is 0, there are `most` null pointers. Never waits: the operation that has leased the other buffers may
  /// be waiting for this process.
  Staging(std::size_t bytes, std::size_t most);
  /// The same, for an operation on `shadow`. The destructor leaks the buffers if MPI may still use them.
  Staging(std::size_t bytes, std::size_t most, const transport::Shadow& shadow);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  std::size_t count() const noexcept { return buffers_.size(); }
  std::byte* operator[](std::size_t index) const noexcept { return buffers_[index].get(); }

  /// Makes the destructor leak the buffers: something may still write to them.
  void abandon() noexcept;

private:
  explicit Staging(std::size_t bytes) noexcept : bytes_(bytes) {}

  std::size_t bytes_;
  const transport::Failure* failure_ = nullptr; // of the operation
  std::vector<std::unique_ptr<std::byte[]>> buffers_;
};

/// Returns whether slots of `bytes` bytes in total should be rooms (shm::Room). Rooms make plain stores
/// faster, but not streaming stores. Any thread may call it.
bool are_better_in_rooms(std::size_t bytes, Stores stores) noexcept;

/// Slots of the arena, leased until destruction: staging that other ranks read. Any thread may lease.
class SharedStaging {
public:
  /// Leases up to `most` slots of `bytes` bytes each; none if there is no arena or no free slot. If
  /// `in_rooms`, leases `most` rooms instead if they are free: see are_better_in_rooms(). Never waits.
  SharedStaging(std::size_t most, std::size_t bytes, bool in_rooms);

  std::size_t count() const noexcept { return slots_.size(); }
  std::byte* operator[](std::size_t index) const noexcept { return slots_[index].get(); }

  /// Returns the offset of the slot in this process's part of the arena.
  std::int64_t offset(std::size_t index) const noexcept;

private:
  std::vector<shm::Room> slots_;
};

} // namespace helper::pipeline
