// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "message/data.hpp"
#include "message/leftovers.hpp"
#include "message/pieces.hpp"
#include "pipeline/store_choice.hpp"

/// Streams of bytes from one process of a node to another, through blocks of the sender's part of the arena.
///
/// A stream is a message cut into pieces, which go through its few blocks in turn. The sender counts the
/// pieces that it has put there in a word of its own part, the receiver those that it has taken out in a word
/// of its part, and each then rings the other's bell. Neither writes where the other does, and neither waits
/// for the other here.
///
/// Model: tests/models/stream.pml.
namespace helper::message::ring {

inline constexpr std::size_t block_bytes = std::size_t{16} * 1024;
inline constexpr std::size_t most_blocks = 16;

/// The part of an arena of `bytes` bytes, from its beginning, that streams use.
std::size_t area(std::size_t bytes) noexcept;

/// Begins to use that area. At MPI_Init, once the arena is made.
void start();

/// From now on this process would see an announcement in what it receives by the library; looks() of the
/// others says so.
void look() noexcept;

/// … and receives by the library; reaches() of the others says so. The first call alone writes to what they
/// read.
void be_ready() noexcept;

/// Whether streams connect this process with the rank of MPI_COMM_WORLD, another one of this node: each knows
/// the same of the other. And what the rank has shown.
bool connects(int world_rank) noexcept;
bool looks(int world_rank) noexcept;
bool reaches(int world_rank) noexcept;

/// What the receiver must be told of a stream.
struct Route {
  std::uint32_t generation; ///< tells the streams apart that use the same words
  std::uint8_t stream;
  std::uint8_t blocks;
  std::array<std::uint8_t, most_blocks> block;
};

/// The sender's end of a stream. For one thread at a time.
class Writer {
public:
  /// A stream, of data that lie in runs of `mean_run` bytes, to a rank that is reached; none if all are in
  /// use. Any thread may call it.
  static std::optional<Writer> open(int world_rank, Pieces pieces, std::size_t mean_run);

  Writer(Writer&& other) noexcept;
  Writer& operator=(Writer&&) = delete;
  /// Ends a stream that the receiver has not been told of. Otherwise the blocks remain the stream's until the
  /// receiver is through with it.
  ~Writer();

  /// The receiver has been told of the stream.
  void announced() noexcept { announced_ = true; }

  const Route& route() const noexcept;

  /// That of what is sent of the stream by MPI.
  int tag() const noexcept;

  /// How many pieces may have been put; more as the receiver takes some.
  std::size_t room() const noexcept;

  /// Where piece `index` goes, which must be below room().
  std::byte* place(std::size_t index) const noexcept;

  /// Shows the first `pieces` pieces to the receiver.
  void put(std::size_t pieces) noexcept;

  /// Whether all that has been put needs this process no more.
  bool gone() const noexcept { return true; }

  int error() const noexcept { return MPI_SUCCESS; }

  /// Hands a copy of what has not been put to MPI, so that the receiver alone can finish; false, having done
  /// nothing, without memory for that, or if MPI fails. Takes the room then.
  bool rescue(const Data& data, leftovers::Room& room) noexcept;

  /// Packs a piece to its place. Any thread.
  void pack(const Data& data, std::size_t begin, std::size_t end, std::byte* place) const noexcept;

private:
  Writer(std::size_t index, Pieces pieces, pipeline::StoreChoice::Turn turn) noexcept
      : index_(index), pieces_(pieces), turn_(turn) {}

  void show(std::uint64_t count) noexcept;

  std::size_t index_;
  Pieces pieces_;
  pipeline::StoreChoice::Turn turn_;
  std::size_t put_ = 0;
  bool announced_ = false;
};

/// The receiver's end of a stream. For one thread at a time.
class Reader {
public:
  /// The stream that the rank has told of; none where it makes no sense.
  static std::optional<Reader> open(int world_rank, const Route& route);

  /// How many pieces have been put.
  std::size_t filled() const noexcept;

  int error() const noexcept { return MPI_SUCCESS; }

  /// Whether no more will be put: the rest is one message of MPI's.
  bool is_last() const noexcept;

  const std::byte* place(std::size_t index) const noexcept;

  /// Lets the sender overwrite the first `pieces` pieces.
  void take(std::size_t pieces) noexcept;

private:
  Reader(const std::byte* part, const std::atomic<std::uint64_t>& filled, std::atomic<std::uint64_t>& taken,
         const Route& route, int sender) noexcept
      : part_(part), filled_(&filled), taken_(&taken), route_(route), sender_(sender) {}

  const std::byte* part_;
  const std::atomic<std::uint64_t>* filled_;
  std::atomic<std::uint64_t>* taken_;
  Route route_;
  int sender_; // its rank in MPI_COMM_WORLD
};

} // namespace helper::message::ring
