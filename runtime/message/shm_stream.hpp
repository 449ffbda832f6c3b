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
/// A stream is a message cut into pieces, which use its few blocks in turn. The sender counts the pieces that
/// it has put there, the receiver counts the pieces that it has taken. Each counts in a word of its own part,
/// and then rings the other's bell. Neither writes where the other does, and neither waits for the other
/// here.
///
/// A receiver may never come, for example if a receive has no room for the announcement. So the pieces in the
/// blocks are claimed once: by the receiver before it reads, or by the sender, which then sends all by MPI
/// and reuses the blocks.
///
/// Model: tests/models/shm_stream.pml.
namespace helper::message {

namespace shm_stream {

inline constexpr std::size_t most_block_bytes = std::size_t{32} * 1024;
inline constexpr std::size_t most_blocks = 16;

/// How large a block is: the larger, the more of a message is under way, but the fewer blocks there are. All
/// processes of a node say the same.
std::size_t block_bytes() noexcept;

/// How much of an arena of `bytes` bytes streams use, from its beginning.
std::size_t area(std::size_t bytes) noexcept;

/// How much of it counters use, which others always read, with `processes` processes on the node.
std::size_t counters(std::size_t processes) noexcept;

/// Begins to use that area. MPI_Init calls this once the arena is made.
void start();

/// Shows other processes that this process now sees an RTS in the messages that it receives. They see it by
/// looks().
void look() noexcept;

/// Shows other processes that this process receives through the library. They see it by reaches(). Only the
/// first call writes.
void be_ready() noexcept;

/// Whether streams connect this process with the rank of MPI_COMM_WORLD, which is another process of this
/// node: each of the two answers the same of the other.
bool connects(int world_rank) noexcept;
/// Whether streams connect the rank with this process, and it has called look(), or be_ready().
bool looks(int world_rank) noexcept;
bool reaches(int world_rank) noexcept;

/// Counts a message that is about to be announced to the rank, if streams connect it with this process.
void count_announced(int world_rank) noexcept;
/// Counts an announcement of the rank that this process has received, and takes the count back where the
/// announcement is to be received again.
void count_received(int world_rank) noexcept;
void uncount_received(int world_rank) noexcept;
/// Whether an announcement of the rank may be under way to this process. It is true where nothing is shared.
bool may_come(int world_rank) noexcept;

/// While it lives, synchronous sends of the rank to this process do not complete: a probe finds out whether
/// what it receives is an announcement.
class Hesitation {
public:
  explicit Hesitation(int world_rank) noexcept;
  ~Hesitation();
  Hesitation(const Hesitation&) = delete;
  Hesitation& operator=(const Hesitation&) = delete;

private:
  int world_rank_;
};

} // namespace shm_stream

/// What the receiver must be told of a stream through shared memory.
struct ShmRoute {
  std::uint32_t generation; ///< tells the streams apart that use the same words
  std::uint8_t stream;
  std::uint8_t blocks;
  std::array<std::uint8_t, shm_stream::most_blocks> block;
};

namespace shm_stream {

/// Keeps a synchronous send of the rank incomplete: a probe of this process has received the announcement of
/// the stream, and no receive has begun. release() says that a receive has begun. Both do nothing if nothing
/// is shared.
void hold(int world_rank, const ShmRoute& route) noexcept;
void release(int world_rank, const ShmRoute& route) noexcept;

} // namespace shm_stream

/// The sender's end of a stream. One thread at a time uses it.
class ShmWriter {
public:
  /// A stream to a rank that reaches() names; none if all are in use. Any thread may call it.
  static std::optional<ShmWriter> open(int world_rank, pipeline::Chunks pieces);

  ShmWriter(ShmWriter&& other) noexcept;
  ShmWriter& operator=(ShmWriter&&) = delete;
  /// Ends a stream that the receiver has not been told of. Otherwise the blocks remain the stream's until the
  /// receiver is through with it.
  ~ShmWriter();

  /// Is called once the receiver has been told of the stream, by a synchronous send or another.
  void announced(bool is_synchronous) noexcept {
    announced_ = true;
    is_synchronous_ = is_synchronous;
  }

  /// Whether a probe of the receiver has, or may have, received the announcement of a synchronous send, and
  /// no receive has begun. It is asked once MPI has completed the announcement.
  bool is_held() const noexcept;

  const ShmRoute& route() const noexcept;

  /// The tag of what is sent of the stream by MPI.
  int tag() const noexcept { return tag_; }

  /// The sender's credit: how many pieces may have been put, which grows as the receiver takes some.
  std::size_t credit() const noexcept;

  /// Where piece `index` goes, which must be below credit().
  std::byte* place(std::size_t index) const noexcept;

  /// Shows the first `pieces` pieces to the receiver.
  void put(std::size_t pieces) noexcept;

  /// Whether all that has been put needs this process no more.
  bool gone() const noexcept { return true; }

  int error() const noexcept { return MPI_SUCCESS; }

  /// Hands a copy of what has not been put to MPI, so that the receiver alone can finish, and takes the
  /// reservation for it: of the whole message, if the receiver has not begun, which needs the blocks no more
  /// then. Returns false, having sent nothing, where memory is short or MPI fails.
  bool rescue(const layout::PackedData& data, deferred::Reservation& reservation) noexcept;

  /// Packs a piece to its place. Any thread may call it.
  void pack(const layout::PackedData& data, std::size_t begin, std::size_t end,
            std::byte* place) const noexcept;

private:
  ShmWriter(std::size_t index, pipeline::Chunks pieces, pipeline::Stores stores, int tag) noexcept
      : index_(index), pieces_(pieces), stores_(stores), tag_(tag) {}

  void show(std::uint64_t count) noexcept;

  std::size_t index_; // of the outlet, while the stream has one
  pipeline::Chunks pieces_;
  pipeline::Stores stores_;
  int tag_;
  std::size_t put_ = 0;
  bool announced_ = false;
  bool is_synchronous_ = false; // then the outlet remains the stream's as long as this object is there
};

/// The receiver's end of a stream. One thread at a time uses it.
class ShmReader {
public:
  /// The stream that the rank has told of; none where the route makes no sense.
  static std::optional<ShmReader> open(int world_rank, const ShmRoute& route);

  /// How many pieces have been put.
  std::size_t filled() const noexcept;

  int error() const noexcept { return MPI_SUCCESS; }

  /// Whether no more pieces will be put, since the rest is one message of MPI's.
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
  bool is_claimed_; // or else all of the message comes by MPI
};

} // namespace helper::message
