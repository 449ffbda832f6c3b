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

#include "layout/packed_data.hpp"
#include "pipeline/staging.hpp"

/// Sends by MPI, on the private duplicate of MPI_COMM_WORLD, that nobody waits for: what remains of messages
/// whose receivers are late, and messages to oneself. Their requests are kept until they are over;
/// MPICH 4.0.2 goes on using those of messages to oneself that are freed before.
namespace helper::message::deferred {

/// The right to copy some bytes. A process may have reserved a limited number at a time, so that memory is
/// bounded however late receivers are; what finds none left must not come to need a copy.
class Reservation {
public:
  /// A reservation of no bytes.
  Reservation() noexcept = default;
  /// None if not as many bytes are left.
  static std::optional<Reservation> of(std::size_t bytes) noexcept;

  Reservation(Reservation&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
  Reservation& operator=(Reservation&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Reservation();

private:
  explicit Reservation(std::size_t bytes) noexcept : bytes_(bytes) {}

  std::size_t bytes_ = 0;
};

/// Messages under way, and the memory that they are sent from.
struct DeferredSend {
  Reservation reservation{};
  std::unique_ptr<std::byte[]> bytes{};
  std::shared_ptr<pipeline::Staging> lanes{};
  std::vector<MPI_Request> requests{};
};
using Single = std::list<DeferredSend>; // made in advance, since to keep it must not take memory

/// Keeps what is sent until MPI has sent it. Leaves `one` empty.
void keep(Single& one) noexcept;

/// Starts to send a copy of `bytes`, which are few, to a rank of MPI_COMM_WORLD. Returns the result code;
/// after an error nothing is sent.
int send(std::span<const std::byte> bytes, int receiver, int tag) noexcept;

/// Does the same with a copy of `data` from byte `begin` on, which takes the reservation.
int send(const layout::PackedData& data, std::size_t begin, int receiver, int tag,
         Reservation& reservation) noexcept;

/// Forgets those that have been sent. Costs nothing if there are none.
void sweep() noexcept;

} // namespace helper::message::deferred
