// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "shm/posts.hpp"
#include "shm/room.hpp"
#include "shm/traffic.hpp"

namespace helper::shm {

/// The words that a rank shows to the other ranks of a communicator: a piece of its part of the arena, where
/// it alone writes.
///
/// All ranks number the operations that use the frames of a communicator alike, starting above every number
/// that any frame has seen. So every word only grows, whichever communicator has the frame, and old values
/// are never taken for new ones.
struct Frame {
  static constexpr std::size_t line = 64;
  static constexpr std::size_t board_bytes = std::size_t{16} * 1024;
  // Operations take the slots in turn, and the boards. Of small contributions ranks that take turns on a
  // processing unit show several before they give it away; boards would use up more of the cache.
  static constexpr std::size_t slot_count = 4;
  static constexpr std::size_t board_count = 2;

  /// A contribution to an operation. A small contribution is next to the number, so that one line brings
  /// both. For a larger one the line has its place in the rank's part of the arena: in a Room, or on a board.
  struct alignas(line) FrameSlot {
    static constexpr int size_bits = 16; // and so 2^48 operations: nine years at a million a second
    // The value is number << size_bits | bytes, of the operation that the contribution is to, and of the
    // contribution. It is stored with release once the contribution is complete, and loaded with acquire
    // before that is read. The owner writes to the slot again after all ranks have finished that operation.
    std::atomic<std::uint64_t> value;
    union {
      std::array<std::byte, line - sizeof(std::uint64_t)> little;
      std::size_t where;
    };
  };

  /// A word for operations of several steps, and what they have to say with it.
  struct alignas(line) Mark {
    static constexpr int step_bits = 18; // and so 2^46 operations: two years at a million a second
    // The value is number << step_bits | step, of the operation. It is stored with release after what it
    // announces, in `note` or elsewhere, is there; it is loaded with acquire.
    std::atomic<std::uint64_t> value;
    std::array<std::byte, line - sizeof(std::uint64_t)> note;
  };

  // The last operation of which the rank is through with the other ranks' frames and memory. It is stored
  // with release; a rank that loads it with acquire may overwrite what the operation read.
  alignas(line) std::atomic<std::uint64_t> finished;
  std::array<FrameSlot, slot_count> slots;
  alignas(line) std::array<std::array<std::byte, board_bytes>, board_count> boards;
  std::array<Mark, 8> marks;
  PostWords posts; // of non-blocking operations

  static constexpr int most_persistent = 16; // operations of a communicator
  // Persistent operations may be started in another order at each rank, so each has words for itself.
  std::array<PostWords, most_persistent> persistent;
  static constexpr int most_posts = most_persistent + 1;

  /// Returns the slot of the operation `number`.
  FrameSlot& slot(std::uint64_t number) noexcept { return slots[number % slot_count]; }
  const FrameSlot& slot(std::uint64_t number) const noexcept { return slots[number % slot_count]; }

  /// Returns the board of the operation `number`.
  std::byte* board(std::uint64_t number) noexcept { return boards[number % board_count].data(); }
  const std::byte* board(std::uint64_t number) const noexcept { return boards[number % board_count].data(); }
};

/// The rooms that take the place of a frame's boards.
using RoomsOfBoards = std::array<Room, Frame::board_count>;

/// The frames of the ranks of a communicator on one node: they are leased from the ranks' parts of the arena
/// when its shadow is made, and given back when that is freed, the last non-blocking operation has finished,
/// and the last persistent one freed. Only the thread that carries the operation under way uses them, but for
/// posts() and those of persistent operations.
class Window {
public:
  static constexpr std::size_t most_leased = 32; // frames of a process
  static constexpr int most_ranks = 256;         // of a communicator

  /// Takes room for the frames of this process, `count` of them, from byte `begin` of its part of the arena
  /// on; both are the same at all processes of the node. It is called at MPI_Init, once the arena is made; it
  /// takes nothing if that has no room for them.
  static void start(std::size_t begin, std::size_t count);

  /// Leases a frame of this process; returns nullptr where none is left. It is local; any thread may call it.
  static std::unique_ptr<Window> lease();

  /// Returns the number beyond which no frame of this process has been used by communicators that are gone.
  static std::uint64_t newest() noexcept;

  /// Returns which of this process's frames it is.
  long index() const noexcept;

  /// Opens the window to these ranks of MPI_COMM_WORLD, which have parts of the arena, by the indices of
  /// their frames; this rank is `own` among them. Operations are numbered from `newest` + 1 on, where
  /// `newest` is the greatest newest() of all ranks. Returns false if an index makes no sense.
  bool open(std::span<const int> world_ranks, std::span<const long> indices,
            const std::vector<team::Bell*>& bells, int own, std::uint64_t newest);

  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  int ranks() const noexcept { return static_cast<int>(frames_.size()); }
  Frame& own() noexcept { return own_; }

  /// Returns for how many operations contributions of `bytes` bytes remain: a contribution to operation n may
  /// be written once all ranks have finished operation n minus this number.
  static std::uint64_t remain(std::size_t bytes) noexcept {
    return is_small(bytes) ? Frame::slot_count : Frame::board_count;
  }

  /// Returns where this rank is to write a contribution of `bytes` bytes, board_bytes at most, to operation
  /// `number`; the others will find it. If there is a choice, `in_room` says whether that is in a Room or
  /// always in the same place. It is called once remain() allows it.
  std::byte* place(std::uint64_t number, std::size_t bytes, bool in_room) noexcept;

  /// Returns where a rank's contribution of `bytes` bytes to operation `number` is, once its slot says so;
  /// nullptr if that makes no sense.
  const std::byte* shown(int rank, std::uint64_t number, std::size_t bytes) const noexcept;

  /// Returns the memory at that place of a rank's part of the arena, of which that rank has told; nullptr if
  /// there are no such bytes.
  const std::byte* find(int rank, std::size_t offset, std::size_t bytes) const noexcept;

  const Frame& of(int rank) const noexcept { return *frames_[static_cast<std::size_t>(rank)]; }

  /// Returns the number of the next operation. All ranks call it for the same operations in the same order.
  std::uint64_t begin() noexcept {
    traffic::meet();
    return ++number_;
  }

  /// Measures whether all ranks share a cache, at most `most` times, until one of them has been measured; see
  /// shared_cache.hpp.
  void look(int most) noexcept;

  /// Returns whether that is not known of all.
  bool must_look() const noexcept { return must_look_; }

  /// Returns whether they do, as far as is known.
  bool shares_cache() const noexcept { return shares_cache_; }

  /// Notes that the rank is through with what the others show of operation `number`.
  void finish(std::uint64_t number) noexcept {
    own_.finished.store(number, std::memory_order_release);
    traffic::went_past_mpi();
  }

  /// Returns whether all ranks have finished operation `number`, so that what was shown for it may be
  /// overwritten.
  bool all_finished(std::uint64_t number) noexcept { return number <= all_finished_ || look_for(number); }

  /// Notes that all ranks are known to have finished operation `number`: they have begun the next one.
  void note_finished(std::uint64_t number) noexcept { all_finished_ = number; }

  /// Returns what the ranks post to non-blocking operations.
  Posts& posts() noexcept { return posts_; }

  /// This rank posts nothing more, neither there nor to persistent operations, because it has failed.
  void close_posts() noexcept;

  /// Returns whether this rank's words `index` for a persistent operation are nobody's.
  bool has_free_posts(int index) const noexcept;

  /// Returns the number beyond which this rank has posted nothing to persistent operations.
  std::uint64_t newest_persistent() const noexcept;

  /// Leases the words `index`, which are free at all ranks, until what is returned is gone; it keeps the
  /// window. Operations are numbered from `newest` + 1 on, where `newest` is the greatest newest_persistent()
  /// of all ranks. Throws std::bad_alloc.
  static std::shared_ptr<Posts> lease_posts(std::shared_ptr<Window> window, int index, std::uint64_t newest);

  /// After an error this has the frame never leased again, since ranks may still look at it.
  void keep() noexcept { kept_ = true; }

private:
  struct LeasedPosts;

  explicit Window(Frame& own) noexcept : own_(own) {}

  static bool is_small(std::size_t bytes) noexcept { return bytes <= sizeof(Frame::FrameSlot::little); }
  bool look_for(std::uint64_t number) noexcept;
  bool has_closed_posts() const noexcept;

  Frame& own_;
  RoomsOfBoards rooms_; // of the own frame
  std::vector<const Frame*> frames_;
  std::vector<const std::byte*> parts_; // of the arena that they are in
  std::uint64_t number_ = 0;            // of the operation under way, or the last
  std::uint64_t all_finished_ = 0;      // all ranks have finished this one, and perhaps later ones
  std::vector<int> peers_;              // the other ranks, as processes of the node
  std::vector<team::Bell*> bells_;      // by rank
  int rank_ = 0;
  Posts posts_;
  // In the node's state: the words of posts_, then of persistent operations. nullptr and none if there is no
  // node state.
  std::atomic<std::uint64_t>* agreed_ = nullptr;
  std::vector<PostPart*> shared_parts_; // by rank
  // The bits say which words for persistent operations are leased. A bit is cleared with release by whichever
  // thread drops the last of what leased it, and looked at with acquire: a thread that finds it clear sees
  // all that was posted.
  std::atomic<std::uint32_t> leased_{0};
  static_assert(Frame::most_persistent <= 32);
  bool must_look_ = true;
  bool shares_cache_ = false;
  bool kept_ = false;
};

} // namespace helper::shm
