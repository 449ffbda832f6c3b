// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "message/data.hpp"

/// Copies of the rests of announced messages whose receivers are late, on their way as messages of MPI's.
namespace helper::message::leftovers {

/// The right to copy so many bytes. There is only so much of it in a process, so that memory is bounded
/// however late receivers are; what has none must not come to need a copy.
class Room {
public:
  /// None if there is not so much left.
  static std::optional<Room> of(std::size_t bytes) noexcept;

  Room(Room&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
  Room& operator=(Room&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Room();

private:
  explicit Room(std::size_t bytes) noexcept : bytes_(bytes) {}

  std::size_t bytes_;
};

/// Copies `data` from byte `begin` on and starts to send it to a rank of MPI_COMM_WORLD; false if there is no
/// memory for it, or MPI fails. Takes the room then.
bool send(const Data& data, std::size_t begin, int receiver, int tag, Room& room) noexcept;

/// Forgets those that have been sent. Costs nothing if there are none.
void sweep() noexcept;

} // namespace helper::message::leftovers
