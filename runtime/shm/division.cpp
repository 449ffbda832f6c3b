// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/division.hpp"

#include <algorithm>
#include <bit>

#include "shm/control.hpp"

namespace helper::shm {

// Rooms and slots begin half a page after the start of a page. Large buffers of malloc begin shortly after
// the start of a page. A copy is slow if its target is shortly after its source modulo the page size: loads
// seem to depend on earlier stores. See also layout::copy_bytes().
constexpr std::size_t page = 4096;
constexpr std::size_t behind_page = page / 2;

std::size_t Wanted::total() const noexcept {
  return staging == 0 ? 0 : staging + ControlPool::most * sizeof(ControlBlock) + page + behind_page + rooms;
}

std::size_t Division::begin_of_rooms() const noexcept {
  return (messages + control_blocks * sizeof(ControlBlock) + page - 1) / page * page + behind_page;
}

Division divide_arena(std::size_t bytes, std::size_t messages, const Wanted& wanted) noexcept {
  constexpr std::size_t share_of_blocks = 4; // one part in this many
  constexpr std::size_t share_of_rooms = 4;  // of the rest
  constexpr std::size_t slots = 4;           // an operation leases two of them
  constexpr std::size_t least_slot = std::size_t{64} * 1024;
  constexpr std::size_t good_slot = std::size_t{256} * 1024;
  Division division{messages, std::min(ControlPool::most, bytes / share_of_blocks / sizeof(ControlBlock)),
                    wanted.rooms, wanted.chunk};
  if (bytes != 0 && bytes >= wanted.total()) return division;
  const std::size_t rest = bytes - std::min(bytes, division.begin_of_rooms());
  std::size_t slot = std::bit_floor((rest - std::min(wanted.rooms, rest / share_of_rooms)) / slots);
  if (slot < good_slot) slot = std::bit_floor(rest / slots);
  if (slot >= least_slot) division.chunk = std::min(wanted.chunk, slot);
  const std::size_t for_slots = slots * slot_stride(division.chunk);
  division.rooms = rest <= for_slots ? 0 : std::min(wanted.rooms, (rest - for_slots) / page * page);
  return division;
}

} // namespace helper::shm
