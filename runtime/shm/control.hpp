// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "shm/posts.hpp"
#include "shm/room.hpp"
#include "shm/traffic.hpp"

namespace helper::shm {

/// What a rank shows to other ranks of a communicator, in its part of the arena. Only that rank writes it.
///
/// The operations on a communicator have numbers, equal at all ranks. They start above every number that any
/// of its control blocks has had. So every word only grows, whichever communicators lease the block, and old
/// values are never taken for new ones.
struct ControlBlock {
  static constexpr std::size_t line = 64;
  static constexpr std::size_t payload_bytes = std::size_t{16} * 1024;
  // Successive operations use `contributions`, and `payloads`, cyclically. Several contributions let
  // oversubscribed ranks do several small operations before they yield the core. More than two payloads would
  // take too much of the cache.
  static constexpr std::size_t contribution_count = 4;
  static constexpr std::size_t payload_count = 2;

  /// A contribution to an operation. A small one is in `little`, on one cache line with the number. The place
  /// of a larger one, a Room or one of `payloads`, is `where`, the offset in the rank's part of the arena.
  struct alignas(line) Contribution {
    static constexpr int size_bits = 16; // leaves 2^48 operations: nine years at a million a second
    // The value is number << size_bits | bytes: the number of the operation, and the size of the
    // contribution. Stored with release once the contribution is complete, and loaded with acquire before it
    // is read. The owner writes here again after all ranks have finished that operation.
    std::atomic<std::uint64_t> value;
    union {
      std::array<std::byte, line - sizeof(std::uint64_t)> little;
      std::size_t where;
    };
  };

  /// Announces a step of an operation that has several steps, with data for the step.
  struct alignas(line) StepFlag {
    static constexpr int step_bits = 18; // leaves 2^46 operations: two years at a million a second
    // The value is number << step_bits | step of the operation. Stored with release after what it announces,
    // in `note` or elsewhere, is written; loaded with acquire.
    std::atomic<std::uint64_t> value;
    std::array<std::byte, line - sizeof(std::uint64_t)> note;
  };

  // The last operation in which the rank has finished using the other ranks' blocks and memory. Stored with
  // release. A rank that loads it with acquire may overwrite what this rank read in that operation.
  alignas(line) std::atomic<std::uint64_t> finished;
  std::array<Contribution, contribution_count> contributions;
  alignas(line) std::array<std::array<std::byte, payload_bytes>, payload_count> payloads;
  std::array<StepFlag, 8> flags;
  PostFlags posts; // of non-blocking operations

  static constexpr int most_persistent = 16; // operations of a communicator
  // Ranks may start persistent operations in different orders, so each operation has its own words.
  std::array<PostFlags, most_persistent> persistent;
  static constexpr int most_posts = most_persistent + 1;

  Contribution& contribution(std::uint64_t number) noexcept {
    return contributions[number % contribution_count];
  }
  const Contribution& contribution(std::uint64_t number) const noexcept {
    return contributions[number % contribution_count];
  }
  std::byte* payload(std::uint64_t number) noexcept { return payloads[number % payload_count].data(); }
  const std::byte* payload(std::uint64_t number) const noexcept {
    return payloads[number % payload_count].data();
  }
};

/// The control blocks of the ranks of a communicator on one node, leased when the communicator's shadow is
/// made. They are given back when the shadow and the last persistent operation have been freed, and the last
/// non-blocking operation has finished. Only the thread of an operation uses them, except their posts.
class CommControl {
public:
  static constexpr int most_ranks = 256; // of a communicator

  /// Returns the index of this rank's control block in the ControlPool.
  long index() const noexcept;

  /// Finds the control blocks of all ranks of the communicator: `world_ranks` are their ranks in
  /// MPI_COMM_WORLD, and `indices` the indices of their blocks. This is rank `own`. Operations have numbers
  /// from `newest` + 1 on; `newest` is the greatest ControlPool::newest() of all ranks. Returns false if an
  /// index is invalid.
  bool open(std::span<const int> world_ranks, std::span<const long> indices,
            const std::vector<team::Bell*>& bells, int own, std::uint64_t newest);

  ~CommControl();
  CommControl(const CommControl&) = delete;
  CommControl& operator=(const CommControl&) = delete;

  int ranks() const noexcept { return static_cast<int>(blocks_.size()); }
  ControlBlock& own() noexcept { return own_; }

  /// Returns after how many operations the place of a contribution of `bytes` bytes is used again. Operation
  /// n may write there once all ranks have finished operation n minus this number.
  static std::uint64_t remain(std::size_t bytes) noexcept {
    return is_small(bytes) ? ControlBlock::contribution_count : ControlBlock::payload_count;
  }

  /// Returns where to write a contribution to operation `number`, of up to payload_bytes bytes. Others find
  /// it with shown(). Call it when remain() allows it. `in_room`: in a Room if one pays and is free.
  std::byte* place(std::uint64_t number, std::size_t bytes, bool in_room) noexcept;

  /// Returns the address of the contribution that a rank has shown for `number`; nullptr if it is invalid.
  const std::byte* shown(int rank, std::uint64_t number, std::size_t bytes) const noexcept;

  /// Returns the address of `bytes` bytes at `offset` in a rank's part of the arena; nullptr if out of range.
  const std::byte* find(int rank, std::size_t offset, std::size_t bytes) const noexcept;

  const ControlBlock& of(int rank) const noexcept { return *blocks_[static_cast<std::size_t>(rank)]; }

  /// Returns the number of the next operation. All ranks call it for the same operations in the same order.
  std::uint64_t begin() noexcept {
    traffic::meet();
    return ++number_;
  }

  /// Measures whether all ranks share a cache, with at most `most` looks (see shared_cache.hpp).
  void look(int most) noexcept;

  /// Returns whether this rank does not know yet whether it shares a cache with all other ranks.
  bool must_look() const noexcept { return must_look_; }

  /// Returns whether all ranks share a cache; false while unknown.
  bool shares_cache() const noexcept { return shares_cache_; }

  /// Records that this rank has finished using what other ranks show for operation `number`.
  void finish(std::uint64_t number) noexcept {
    own_.finished.store(number, std::memory_order_release);
    traffic::went_past_mpi();
  }

  /// Returns whether all ranks have finished operation `number`: its contributions may be overwritten.
  bool all_finished(std::uint64_t number) noexcept { return number <= all_finished_ || look_for(number); }

  /// Records that all ranks have finished operation `number`, since they have begun the next one.
  void note_finished(std::uint64_t number) noexcept { all_finished_ = number; }

  /// Returns the posts of non-blocking operations.
  Posts& posts() noexcept { return posts_; }

  /// Records that this rank posts nothing more, here or to persistent operations, because it has failed.
  void close_posts() noexcept;

  /// Returns whether a persistent operation can lease ControlBlock::persistent[index] of this rank.
  bool has_free_posts(int index) const noexcept;

  /// Returns the greatest operation number that this rank has posted to a persistent operation.
  std::uint64_t newest_persistent() const noexcept;

  /// Leases ControlBlock::persistent[index] for a persistent operation until the result is destroyed. It must
  /// be free at all ranks. The result keeps `control` alive. `newest` is the greatest newest_persistent() of
  /// all ranks; numbers of operations follow it. Throws std::bad_alloc.
  static std::shared_ptr<Posts> lease_posts(std::shared_ptr<CommControl> control, int index,
                                            std::uint64_t newest);

  /// Call it after an error: the block is never leased again, since ranks may still read it.
  void keep() noexcept { kept_ = true; }

private:
  friend class ControlPool;
  struct LeasedPosts;

  explicit CommControl(ControlBlock& own) noexcept : own_(own) {}

  static bool is_small(std::size_t bytes) noexcept {
    return bytes <= sizeof(ControlBlock::Contribution::little);
  }
  bool look_for(std::uint64_t number) noexcept;
  bool has_closed_posts() const noexcept;

  ControlBlock& own_;
  std::array<Room, ControlBlock::payload_count> rooms_; // replace payloads of own_
  std::vector<const ControlBlock*> blocks_;
  std::vector<const std::byte*> parts_; // the parts of the arena that contain the blocks
  std::uint64_t number_ = 0;            // of the current operation, or the last one
  std::uint64_t all_finished_ = 0;      // all ranks have finished this one, and perhaps later ones
  std::vector<int> peers_;              // the other ranks, as indices of processes of the node
  std::vector<team::Bell*> bells_;      // by rank
  int rank_ = 0;
  Posts posts_;
  // The words for Posts::agree_on_next(), if memory is shared: of posts_, then of each of `persistent`.
  std::atomic<std::uint64_t>* agreed_ = nullptr;
  std::vector<PostPart*> shared_parts_; // by rank
  // Bit i: words i for a persistent operation are leased. The thread that destroys the lease clears the bit
  // with release. Loads acquire: a thread that finds the bit clear sees all that was posted there.
  std::atomic<std::uint32_t> leased_{0};
  static_assert(ControlBlock::most_persistent <= 32);
  bool must_look_ = true;
  bool shares_cache_ = false;
  bool kept_ = false;
};

/// The control blocks of this process, which its communicators lease. Any thread may call the functions.
class ControlPool {
public:
  static constexpr std::size_t most = 32;

  /// Reserves `count` blocks from byte `begin` of this process's part of the arena on, at MPI_Init. All
  /// processes of the node pass equal arguments. Reserves nothing if the part is too small.
  void divide(std::size_t begin, std::size_t count);

  /// Leases a control block; nullptr if none is free. Local.
  std::unique_ptr<CommControl> lease();

  /// Returns the greatest operation number that freed communicators have used in these blocks.
  std::uint64_t newest() noexcept;

private:
  friend CommControl;

  /// A block that is not leased.
  struct Idle {
    ControlBlock* block;
    std::uint64_t number = 0;               // its last operation
    std::vector<const ControlBlock*> peers; // blocks of ranks that may not have finished it yet
    std::array<Room, ControlBlock::payload_count> rooms{}; // in which others may still read

    bool is_free() const noexcept;
  };

  void give_rooms_back() noexcept;

  // The offset of the blocks in each part of the arena, and their number. Written at MPI_Init.
  std::size_t begin_ = 0;
  std::size_t count_ = 0;
  std::mutex mutex_; // guards what follows
  std::vector<Idle> idle_;
  // Operations have numbers from contribution_count on: the number of the operation that used the same
  // contribution before is at least 0.
  std::uint64_t newest_ = ControlBlock::contribution_count - 1;
};

} // namespace helper::shm
