// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "layout/packed_data.hpp"
#include "message/deferred_sends.hpp"
#include "pipeline/staging.hpp"
#include "pipeline/stores.hpp"

/// Streams of bytes from one process of a node to another, through blocks of the sender's part of the arena.
///
/// A stream is a message cut into pieces, which use its few blocks cyclically. The sender counts the pieces
/// that it has put into blocks, the receiver the pieces that it has taken. Each counts in a word of its own
/// part and then rings the bell of the other. Neither writes where the other writes, nor waits here.
///
/// A receiver may never come, for example if a receive has no room for the announcement. So the blocks are
/// claimed once: by the receiver before it reads, or by the sender to send all by MPI and reuse them.
///
/// Model: tests/models/shm_stream.pml.
namespace helper::message {

struct ShmRoute;

namespace shm_stream {

inline constexpr std::size_t most_block_bytes = std::size_t{32} * 1024;
inline constexpr std::size_t most_blocks = 16;

/// Returns the size of a block. The larger it is, the more of a message is in flight, but the fewer blocks
/// there are. It is equal at all processes of the node.
std::size_t block_bytes() noexcept;

/// Returns the size of the area that streams use at the beginning of a part of the arena of `bytes` bytes.
std::size_t area(std::size_t bytes) noexcept;

/// Returns how many bytes at the beginning of the area are counters, if the node has `processes` processes.
std::size_t counters(std::size_t processes) noexcept;

/// Starts to use the area of this process. MPI_Init calls this when the arena has been made.
void start();

/// Shows other processes, for looks(), that from now on this process recognises an RTS that it receives.
void look() noexcept;

/// Shows, for reaches(), that this process receives through the library. Only the first call writes.
void be_ready() noexcept;

/// Returns whether this process has streams to and from the rank of MPI_COMM_WORLD, another process of this
/// node. Both processes get the same answer.
bool connects(int world_rank) noexcept;
/// These are false without streams to the rank. Otherwise looks() returns whether the rank has called look(),
/// and reaches() returns whether it has called be_ready().
bool looks(int world_rank) noexcept;
bool reaches(int world_rank) noexcept;

/// Counts a message that the caller will announce to the rank, if this process has streams to it.
void count_announced(int world_rank) noexcept;
/// count_received() counts an announcement of the rank that this process has received. uncount_received()
/// takes the count back if the announcement will be received again.
void count_received(int world_rank) noexcept;
void uncount_received(int world_rank) noexcept;
/// Returns whether an announcement of the rank to this process may be in flight; true without shared memory.
bool may_come(int world_rank) noexcept;

/// Sets whether this process hesitates: a probe is finding out whether a message of the rank is an
/// announcement. Meanwhile synchronous sends of the rank to this process do not complete.
void hesitate(int world_rank, bool hesitates) noexcept;

/// hold() keeps a synchronous send of the rank incomplete: a probe of this process has received the
/// announcement of the stream, and no receive has begun. release() notes that a receive has begun. Both do
/// nothing without shared memory.
void hold(int world_rank, const ShmRoute& route) noexcept;
void release(int world_rank, const ShmRoute& route) noexcept;

} // namespace shm_stream

/// What the receiver must know of a stream through shared memory.
struct ShmRoute {
  std::uint32_t generation; ///< distinguishes streams that use the same words
  std::uint8_t stream;
  std::uint8_t blocks;
  std::array<std::uint8_t, shm_stream::most_blocks> block;
};

/// The sender's end of a stream. One thread at a time uses it.
class ShmWriter {
public:
  /// Opens a stream to a rank for which reaches() is true; none if all are in use. Any thread may call it.
  static std::optional<ShmWriter> open(int world_rank, pipeline::Chunks pieces);

  ShmWriter(ShmWriter&& other) noexcept;
  ShmWriter& operator=(ShmWriter&&) = delete;
  /// Frees the blocks, or if the stream was announced, lets it keep them until the receiver has finished.
  ~ShmWriter();

  /// Call it once the announcement has been sent to the receiver, by a synchronous send or another.
  void announced(bool is_synchronous) noexcept {
    announced_ = true;
    is_synchronous_ = is_synchronous;
  }

  /// Returns whether a probe of the receiver has, or may have, received the announcement of a synchronous
  /// send, and no receive has begun. Call it after MPI has completed the announcement.
  bool is_held() const noexcept;

  const ShmRoute& route() const noexcept;

  /// The tag of messages in which MPI sends data of the stream.
  int tag() const noexcept { return tag_; }

  /// The sender's credit: how many pieces it may have put. It grows as the receiver takes pieces.
  std::size_t credit() const noexcept;

  /// Returns where to put piece `index`, which must be below credit().
  std::byte* place(std::size_t index) const noexcept;

  /// Shows the first `pieces` pieces to the receiver.
  void put(std::size_t pieces) noexcept;

  /// Returns whether the pieces that were put no longer need this process.
  bool gone() const noexcept { return true; }

  int error() const noexcept { return MPI_SUCCESS; }

  /// Hands MPI a copy of the pieces that were not put, so that the receiver can finish alone, and takes the
  /// reservation for it. If the receiver has not begun, the copy is the whole message, and the receiver does
  /// not need the blocks. Returns false, having sent nothing, if memory is short or MPI fails.
  bool rescue(const layout::PackedData& data, deferred::Reservation& reservation) noexcept;

  /// Packs a piece into its place. Any thread may call it.
  void pack(const layout::PackedData& data, std::size_t begin, std::size_t end,
            std::byte* place) const noexcept;

private:
  ShmWriter(std::size_t index, pipeline::Chunks pieces, pipeline::Stores stores, int tag) noexcept
      : index_(index), pieces_(pieces), stores_(stores), tag_(tag) {}

  void show(std::uint64_t count) noexcept;

  std::size_t index_; // of the outlet, while the stream has an outlet
  pipeline::Chunks pieces_;
  pipeline::Stores stores_;
  int tag_;
  std::size_t put_ = 0;
  bool announced_ = false;
  bool is_synchronous_ = false; // then the stream keeps its outlet as long as this object exists
};

/// The receiver's end of a stream. One thread at a time uses it.
class ShmReader {
public:
  /// Opens the stream that the rank has announced; none if the route is invalid.
  static std::optional<ShmReader> open(int world_rank, const ShmRoute& route);

  /// Returns how many pieces have been put.
  std::size_t filled() const noexcept;

  int error() const noexcept { return MPI_SUCCESS; }

  /// Returns whether no more pieces will be put, since MPI sends the rest as one message.
  bool is_last() const noexcept;

  const std::byte* place(std::size_t index) const noexcept;

  /// Lets the sender overwrite the first `pieces` pieces.
  void take(std::size_t pieces) noexcept;

private:
  ShmReader(const std::byte* part, const std::atomic<std::uint64_t>& filled,
            std::atomic<std::uint64_t>& taken, const ShmRoute& route, int sender, bool is_claimed) noexcept
      : part_(part), filled_(&filled), taken_(&taken), route_(route), sender_(sender),
        is_claimed_(is_claimed) {}

  const std::byte* part_;
  const std::atomic<std::uint64_t>* filled_;
  std::atomic<std::uint64_t>* taken_;
  ShmRoute route_;
  int sender_;      // its rank in MPI_COMM_WORLD
  bool is_claimed_; // otherwise the whole message arrives by MPI
};

} // namespace helper::message
