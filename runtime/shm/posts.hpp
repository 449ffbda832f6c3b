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

/// A rank tells the others by this part of its frame what it has come to in the non-blocking operations of
/// their communicator, or in one persistent operation. They are numbered as those of Frame are, by numbers of
/// their own. All words only grow.
struct alignas(64) PostWords {
  // The last operation that the rank has posted its contribution to. It is stored with release after the
  // contribution's entry, and loaded with acquire.
  std::atomic<std::uint64_t> posted;
  // The last operation in which the rank has taken what it needs of the others' contributions; it has done so
  // in all those before. It is stored with release; a rank that loads it with acquire may reuse the memory of
  // what it contributed.
  std::atomic<std::uint64_t> taken;
  // The start of the rank's entries in its memory. The last bits are the logarithm of the number of entries.
  // It is stored with release before `posted` announces an entry there.
  std::atomic<std::uint64_t> entries;
  // The number of contributions that the rank has moved to another place. It is stored with release after the
  // entry is changed, and before the former place is used again. A reader of a contribution loads it before
  // and after.
  std::atomic<std::uint64_t> moved;
  // It is set, once and permanently, when the rank posts nothing more. The frame is not leased again.
  std::atomic<bool> closed;
  pid_t process; ///< the rank's; it is written before the frame is shown to anybody

  // A rank that the system refuses to read others' memory asks one of them for a part of its contribution to
  // the next operation, taken + 1. The request is 0 once the part has been read. It is stored with release,
  // and loaded with acquire before the part is overwritten.
  std::atomic<std::uint64_t> request;
  // The request that the rank has answered last. It is stored with release after the part is there, and
  // loaded with acquire.
  std::atomic<std::uint64_t> answered;
};

/// The place where a process gives others, one at a time, a part of a contribution that they cannot read.
struct PostPart {
  std::size_t whole; ///< bytes of the contribution
  std::array<std::byte, 4096 - sizeof whole> bytes;
};

/// The contributions of the ranks of a communicator to non-blocking operations and started persistent
/// operations. tests/models/posts.pml models it. A rank posts its contribution in its own memory when it
/// begins an operation. The other ranks copy what they need (shm/peer_memory.hpp), whatever the rank does
/// meanwhile: it need not call MPI. If a rank needs its memory before all have copied, it moves the
/// contribution.
///
/// Any thread may call all functions but open(). One thread at a time posts.
class Posts {
public:
  /// The place of a rank's contribution.
  struct PostedContribution {
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::uint64_t moved = 0; ///< as the rank's word was before
  };

  Posts() = default;
  Posts(const Posts&) = delete;
  Posts& operator=(const Posts&) = delete;

  /// Begins among ranks with these words and bells, whose operations are numbered from `newest` + 1 on; this
  /// one is `rank`.
  void open(PostWords& own, std::vector<const PostWords*> words, std::vector<team::Bell*> bells, int rank,
            std::uint64_t newest);

  /// Sets where the ranks agree, and where their processes give one another parts of contributions, by rank.
  /// Call it after open(), unless they share no memory that all may write.
  void share(std::atomic<std::uint64_t>* agreed, std::vector<PostPart*> parts) noexcept {
    agreed_ = agreed;
    parts_ = std::move(parts);
  }

  /// Returns whether the ranks carry the next operation, which this rank is about to post to. The answer is
  /// the same at all ranks. It is false from some operation on once the system refuses copies.
  bool agree_on_next() noexcept;

  /// Posts this rank's contribution to the next operation, which stays until all ranks that read it have
  /// taken, or it is moved. Returns the operation's number. Throws std::bad_alloc, having posted nothing.
  std::uint64_t post(const std::byte* data, std::size_t bytes);

  /// Moves this rank's contribution to an operation to where the same bytes are: nobody reads it at its
  /// former place any more when the function returns, or believes what it has read there.
  void move(std::uint64_t number, const std::byte* data) noexcept;

  /// This rank posts nothing more, because it has failed.
  void close() noexcept;

  /// Notes that this rank has taken what it needs in operation `number`, as it has in those before, and tells
  /// the others.
  void take(std::uint64_t number) noexcept;

  bool has_posted(int rank, std::uint64_t number) const noexcept {
    return words(rank).posted.load(std::memory_order_acquire) >= number; // pairs with post()
  }
  bool has_taken(int rank, std::uint64_t number) const noexcept {
    return words(rank).taken.load(std::memory_order_acquire) >= number; // pairs with take()
  }
  /// Returns whether the rank failed before it posted to the operation. Then it never will, and reads
  /// nothing.
  bool has_left(int rank, std::uint64_t number) const noexcept {
    return words(rank).closed.load(std::memory_order_acquire) && !has_posted(rank, number); // in this order
  }

  int rank() const noexcept { return rank_; }
  int ranks() const noexcept { return static_cast<int>(words_.size()); }
  /// Returns whether this rank has closed its posts.
  bool is_closed() const noexcept {
    return own_->closed.load(std::memory_order_relaxed);
  } // it is its own word

  /// Finds the contribution of another rank to an operation that it has posted. Returns false if the system
  /// refuses.
  bool find(int rank, std::uint64_t number, PostedContribution& found) const noexcept;

  /// Copies `bytes` bytes, from byte `begin` on, of a contribution that find() has found; looks for it again
  /// if it has been moved. Returns false if the system refuses.
  bool read(int rank, std::uint64_t number, PostedContribution& from, std::size_t begin, std::byte* to,
            std::size_t bytes) const noexcept;

  /// Replace find() and read() if the system refuses copies and can_relay() is true. The first function asks
  /// for a rank's contribution to the next operation that this rank takes. Each call gets the next part and
  /// appends it to `to`. One thread at a time calls it. It throws std::bad_alloc. The second function answers
  /// one request of another rank, if there is one. A thread of each rank must call it as long as others may
  /// read a contribution of that rank.
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
  /// Other processes read it as it lies here. Its address has as many zero bits as the logarithm of the
  /// number of entries needs.
  struct alignas(64) PostEntry {
    std::atomic<const std::byte*> data{nullptr}; // move() may change it while others read it, by a release
    std::size_t bytes = 0;
  };
  static constexpr std::uint64_t logarithm_bits = alignof(PostEntry) - 1;

  const PostWords& words(int rank) const noexcept { return *words_[static_cast<std::size_t>(rank)]; }
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

  PostWords* own_ = nullptr;
  int rank_ = 0;
  std::vector<const PostWords*> words_; // by rank
  std::vector<team::Bell*> bells_;      // by rank
  std::vector<PostPart*> parts_;        // by rank, or none
  std::uint64_t first_ = 0;             // there is no operation before the one after this
  mutable std::mutex mutex_;            // guards what follows
  std::uint64_t newest_ = 0;
  // number << 1 | stopped. Some rank carries operation `number`, so all do. If `stopped`, no rank carries a
  // later one. It only grows. Its single modification order is all that the ranks agree by.
  std::atomic<std::uint64_t>* agreed_ = nullptr;
  // The last of these is in use. Others may still read the earlier ones, each of half the size of the next.
  std::vector<std::unique_ptr<PostEntry[]>> entries_;
  unsigned logarithm_ = 2; // of the number of entries in use
};

} // namespace helper::shm
