// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pipeline/staging.hpp"
#include "ranks/world.hpp"

/// The tags of messages on the private duplicate of MPI_COMM_WORLD. MPI guarantees tags of 15 bits. No
/// message has a tag below `ready`: shm::traffic::poll() probes for one of these tags.
namespace helper::message::tags {

/// The tag of empty messages with which a process says that it recognises an RTS: see peers::tell().
inline constexpr int ready = 16 * 1024;

/// The tags above `ready` are of two kinds, for draw() and for units. Returns how many each kind has.
inline std::uint32_t others() {
  static const auto both =
      static_cast<std::uint32_t>(ranks::world::largest_tag(ranks::world::comm()) - ready);
  return both / 2;
}

/// Returns a tag for the part of a stream that MPI sends, or for a message of this process to itself. Returns
/// a tag again only after all others of its kind: a message may be received late. Any thread may call it.
inline int draw() {
  static constinit std::atomic<std::uint32_t> drawn{0}; // orders nothing
  return ready + 1 + static_cast<int>(drawn.fetch_add(1, std::memory_order_relaxed) % others());
}

/// Returns the first of the others() tags for units of partitioned messages.
inline int first_for_units() {
  return ready + 1 + static_cast<int>(others());
}

} // namespace helper::message::tags

/// Native sends, on the private duplicate of MPI_COMM_WORLD, for which no thread waits: rescued data, and
/// small messages of the library. Their requests are kept until the sends have finished: quirk
/// uses_freed_requests.
namespace helper::message::deferred {

/// The right to copy some bytes. A process may reserve a limited number at a time, so that memory is bounded
/// however late receivers are. If none are left, the caller must do without a copy.
class Reservation {
public:
  Reservation() noexcept = default;
  /// Returns none if fewer bytes are left, even after finished sends are forgotten. Threads in MPI call it.
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

/// Messages in flight, and the memory from which they are sent.
struct DeferredSend {
  Reservation reservation{};
  std::unique_ptr<std::byte[]> bytes{};
  std::shared_ptr<pipeline::Staging> lanes{};
  std::vector<MPI_Request> requests{};
};
using Single = std::list<DeferredSend>; // allocated in advance, since keep() must not allocate memory

/// Keeps `one` until MPI has sent it. Leaves `one` empty.
void keep(Single& one) noexcept;

/// Starts to send a copy of a few bytes to a rank of MPI_COMM_WORLD. Returns MPI's code.
int send(std::span<const std::byte> bytes, int receiver, int tag) noexcept;

/// Does the same with memory that the caller allocated, of `size` bytes, and takes the reservation.
int send(std::unique_ptr<std::byte[]> bytes, std::size_t size, int receiver, int tag,
         Reservation& reservation) noexcept;

/// Forgets sends that have finished. Costs nothing if there are none.
void sweep() noexcept;

} // namespace helper::message::deferred
