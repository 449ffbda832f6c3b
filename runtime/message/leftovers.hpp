// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "message/data.hpp"
#include "pipeline/staging.hpp"

/// What is sent by MPI, on the private duplicate of MPI_COMM_WORLD, and nobody waits for: what is left of
/// announced messages whose receivers are late, and messages to oneself. Their requests are kept until they
/// are over; MPICH 4.0.2 goes on using those of messages to oneself that are freed before.
namespace helper::message::leftovers {

/// The right to copy so many bytes. There is only so much of it in a process, so that memory is bounded
/// however late receivers are; what has none must not come to need a copy.
class Room {
public:
  /// For nothing.
  Room() noexcept = default;
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

  std::size_t bytes_ = 0;
};

/// Messages under way, and the memory that they are sent from.
struct Leftover {
  Room room{};
  std::unique_ptr<std::byte[]> bytes{};
  std::shared_ptr<pipeline::Staging> lanes{};
  std::vector<MPI_Request> requests{};
};
using Single = std::list<Leftover>; // made in advance, since to keep it must not take memory

/// Keeps it until its messages are sent. Leaves `one` empty.
void keep(Single& one) noexcept;

/// Starts to send a copy of `bytes`, which are few, to a rank of MPI_COMM_WORLD. Returns the result code;
/// after an error nothing is sent.
int send(std::span<const std::byte> bytes, int receiver, int tag) noexcept;

/// The same with a copy of `data` from byte `begin` on, which takes the room.
int send(const Data& data, std::size_t begin, int receiver, int tag, Room& room) noexcept;

/// Forgets those that have been sent. Costs nothing if there are none.
void sweep() noexcept;

} // namespace helper::message::leftovers
