// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "team/bell.hpp"

namespace helper::shm {

/// A rank's progress in the non-blocking operations of a communicator, or in a persistent operation. It is in
/// the rank's ControlBlock, but has its own operation numbers. `posted`, `taken` and `moved` only grow.
struct alignas(64) PostFlags {
  // The last operation that the rank has posted to. Stored with release after its entry; loaded with acquire.
  std::atomic<std::uint64_t> posted;
  // The rank has copied all that it needs of this operation and of all earlier ones. Stored with release. A
  // rank that loads it with acquire may reuse the memory of its contribution.
  std::atomic<std::uint64_t> taken;
  // The address of the rank's entries in its memory. The last bits are the logarithm of the number of
  // entries. Stored with release before `posted` announces an entry there.
  std::atomic<std::uint64_t> entries;
  // The number of contributions that the rank has moved. Stored with release after the entry is changed, and
  // before the former place is reused. A reader loads it before and after reading.
  std::atomic<std::uint64_t> moved;
  // Set once, permanently, when the rank will post nothing more. The control block is not leased again.
  std::atomic<bool> closed;
  pid_t process; ///< the rank's process; written before the control block is shown to anybody

  // The rank's request for a part of another rank's contribution to operation taken + 1. Used if the system
  // does not let the rank read that memory. 0 if there is no request, or once the part has been read. Stored
  // with release, and loaded with acquire before the part is overwritten.
  std::atomic<std::uint64_t> request;
  // The request that the rank answered last. Stored with release after the part, and loaded with acquire.
  std::atomic<std::uint64_t> answered;
};

/// Shared memory in which a process gives another one a part of a contribution that the other cannot read.
struct PostPart {
  std::size_t whole; ///< the bytes of the whole contribution
  std::array<std::byte, 4096 - sizeof whole> bytes;
};

/// The contributions of the ranks of a communicator to non-blocking operations and started persistent
/// operations. tests/models/posts.pml models it. When a rank begins an operation, it posts the address of its
/// contribution. The other ranks copy what they need (shm/peer_memory.hpp), whatever the rank does meanwhile:
/// it need not call MPI. If a rank needs its memory before all have copied, it moves the contribution.
///
/// Any thread may call all functions except open(). One thread at a time posts.
class Posts {
public:
  /// The place of a rank's contribution.
  struct PostedContribution {
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::uint64_t moved = 0; ///< the rank's word `moved` before the entry was read
    bool is_here = false;    ///< in this process's memory; a caller sets it, find() does not
  };

  Posts() = default;
  Posts(const Posts&) = delete;
  Posts& operator=(const Posts&) = delete;

  /// Begins at this rank, `rank`, whose words are `own`. `words` and `bells` are those of all ranks. The
  /// first operation is `newest` + 1.
  void open(PostFlags& own, std::vector<const PostFlags*> words, std::vector<team::Bell*> bells, int rank,
            std::uint64_t newest);

  /// Call it after open() if the ranks share memory that all may write. Sets `agreed`, the word for
  /// agree_on_next(), and `parts`, the memory of each rank for relay().
  void share(std::atomic<std::uint64_t>* agreed, std::vector<PostPart*> parts) noexcept {
    agreed_ = agreed;
    parts_ = std::move(parts);
  }

  /// Returns whether the ranks perform the next operation, to which this rank is about to post; equal at all
  /// ranks. Once the system has refused copies, this returns false for all later operations.
  bool agree_on_next() noexcept;

  /// Posts this rank's contribution to the next operation. Returns the operation's number. The contribution
  /// must remain until all ranks that read it have copied it, or until move() returns. Throws std::bad_alloc;
  /// nothing is posted then.
  std::uint64_t post(const std::byte* data, std::size_t bytes);

  /// Records that this rank's contribution to operation `number` is now at `data`, which has the same bytes.
  /// Afterwards the former place may be overwritten: a rank that still reads there discards what it reads.
  void move(std::uint64_t number, const std::byte* data) noexcept;

  /// Records that this rank posts nothing more, because it has failed.
  void close() noexcept;

  /// Records that this rank has copied what it needs of operations up to `number`, and rings the other ranks.
  void take(std::uint64_t number) noexcept;

  bool has_posted(int rank, std::uint64_t number) const noexcept {
    return words(rank).posted.load(std::memory_order_acquire) >= number; // pairs with post()
  }
  bool has_taken(int rank, std::uint64_t number) const noexcept {
    return words(rank).taken.load(std::memory_order_acquire) >= number; // pairs with take()
  }
  /// Returns whether the rank failed before posting to the operation. Then it takes no part in the operation.
  bool has_left(int rank, std::uint64_t number) const noexcept { // `closed` first: then `posted` is final
    return words(rank).closed.load(std::memory_order_acquire) && !has_posted(rank, number);
  }

  int rank() const noexcept { return rank_; }
  int ranks() const noexcept { return static_cast<int>(words_.size()); }
  /// Returns whether this rank has closed its posts.
  bool is_closed() const noexcept { // its own word, so relaxed
    return own_->closed.load(std::memory_order_relaxed);
  }

  /// Finds the contribution that a rank has posted. Returns false if the system refuses to read its memory.
  bool find(int rank, std::uint64_t number, PostedContribution& found) const noexcept;

  /// Copies `bytes` bytes, from byte `begin` on, of a contribution that find() has found. If the rank has
  /// moved the contribution, finds it again. Returns false if the system refuses.
  bool read(int rank, std::uint64_t number, PostedContribution& from, std::size_t begin, std::byte* to,
            std::size_t bytes) const noexcept;

  /// If the system refuses copies and can_relay() is true, relay() and answer() replace find() and read().
  /// relay() requests the contribution of `rank` to operation `number`, the next that this rank takes. If its
  /// next part has come, relay() appends the part to `to` and returns true. One thread at a time calls
  /// relay(). It throws std::bad_alloc. answer() answers one request of another rank, or returns false. A
  /// thread of this rank must call answer() while other ranks may read this rank's contributions.
  bool can_relay() const noexcept { return !parts_.empty(); }
  struct Relayed {
    std::vector<std::byte> bytes;
    bool is_whole = false;
  };
  bool relay(int rank, std::uint64_t number, Relayed& to);
  bool answer() noexcept;

  /// Returns the number of the last operation that this rank has posted to.
  std::uint64_t newest() const noexcept;

private:
  /// A contribution, which other processes read here. Its alignment frees address bits for `logarithm_`.
  struct alignas(64) PostEntry {
    std::atomic<const std::byte*> data{nullptr}; // move() may change it, with release, while others read it
    std::size_t bytes = 0;
  };
  static constexpr std::uint64_t logarithm_bits = alignof(PostEntry) - 1;

  const PostFlags& words(int rank) const noexcept { return *words_[static_cast<std::size_t>(rank)]; }
  PostEntry& entry(std::uint64_t number) noexcept {
    return entries_.back()[number & ((std::uint64_t{1} << logarithm_) - 1)];
  }
  std::uint64_t all_taken() const noexcept;
  void add_entries();
  void ring_others() const noexcept;
  void ring(int rank) const noexcept {
    if (team::Bell* const bell = bells_[static_cast<std::size_t>(rank)]) bell->ring();
  }
  void ask(int rank, std::uint64_t request) noexcept;
  bool answer(int rank) noexcept;

  PostFlags* own_ = nullptr;
  int rank_ = 0;
  std::vector<const PostFlags*> words_; // by rank
  std::vector<team::Bell*> bells_;      // by rank
  std::vector<PostPart*> parts_;        // by rank, or none
  std::uint64_t first_ = 0;             // the number before the first operation
  mutable std::mutex mutex_;            // guards newest_, entries_, logarithm_
  std::uint64_t newest_ = 0;
  // The word is number << 1 | stopped. Some rank has decided to perform operation `number`, so all do. If
  // `stopped`, no rank performs a later operation. It only grows. Only its modification order matters.
  std::atomic<std::uint64_t>* agreed_ = nullptr;
  // The last array is in use. Ranks may still read the earlier arrays, each of half the size of the next.
  std::vector<std::unique_ptr<PostEntry[]>> entries_;
  unsigned logarithm_ = 2; // of the number of entries in use
};

} // namespace helper::shm
