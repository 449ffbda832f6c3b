// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/stores.hpp"
#include "transport/room.hpp"

namespace helper::pipeline {

/// The distance of slots for chunks of `bytes` bytes: slots begin on cache lines.
constexpr std::size_t slot_stride(std::size_t bytes) noexcept {
  constexpr std::size_t line = 64;
  return (bytes + line - 1) / line * line;
}

/// Cuts this process's part of the node's arena, from byte `begin` on, into slots of `bytes` each. Is called
/// when the library begins, once the arena is made.
void set_shared_slots(std::size_t begin, std::size_t bytes);

/// Whether slots for so many bytes in total that such stores write are better a transport::Room. Streaming
/// stores are as fast where they were last time, and faster where processors share no cache. Any thread may
/// ask.
bool are_better_in_rooms(std::size_t bytes, Stores stores) noexcept;

/// How many slots nobody has leased. Any thread may ask.
std::size_t free_shared_slots();

/// Slots of the arena, leased and given back on destruction: staging that the other ranks of the node read in
/// place. Any thread may lease.
class SharedStaging {
public:
  /// Leases up to `most` slots of `bytes` bytes each; none where there is no arena or none is left. They are
  /// rooms if that is wanted and all are to be had: see are_better_in_rooms(). Never waits, as Staging does
  /// not.
  SharedStaging(std::size_t most, std::size_t bytes, bool in_rooms);
  ~SharedStaging();
  SharedStaging(const SharedStaging&) = delete;
  SharedStaging& operator=(const SharedStaging&) = delete;

  std::size_t count() const noexcept { return offsets_.size(); }
  std::byte* operator[](std::size_t index) const noexcept;

  /// Where the slot lies in this process's part of the arena.
  std::int64_t offset(std::size_t index) const noexcept { return offsets_[index]; }

private:
  void take_rooms(std::size_t count, std::size_t bytes);
  void take_slots(std::size_t most);

  std::vector<transport::Room> rooms_; // which the slots are, if there are any
  std::vector<std::int64_t> offsets_;
};

} // namespace helper::pipeline
