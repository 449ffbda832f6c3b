// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/posts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "transport/peer_memory.hpp"

namespace helper::transport {

void Posts::open(PostWords& own, std::vector<const PostWords*> words, std::vector<team::Bell*> bells,
                 int rank, std::uint64_t newest) {
  own_ = &own;
  words_ = std::move(words);
  bells_ = std::move(bells);
  rank_ = rank;
  first_ = newest_ = newest;
  own.taken.store(newest, std::memory_order_release);
  own.posted.store(newest, std::memory_order_release);
}

std::uint64_t Posts::post(const std::byte* data, std::size_t bytes) {
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = newest_ + 1;
    if (entries_.empty() || number - all_taken() > std::uint64_t{1} << logarithm_) add_entries();
    Entry& added = entry(number);
    added.data.store(data, std::memory_order_relaxed);
    added.bytes = bytes;
    newest_ = number;
    own_->posted.store(number, std::memory_order_release); // pairs with has_posted()
  }
  ring_others();
  return number;
}

/// Makes room for twice as many entries, or the first ones. The present ones remain where they are, too.
void Posts::add_entries() {
  const bool are_first = entries_.empty();
  const unsigned logarithm = are_first ? logarithm_ : logarithm_ + 1;
  const std::uint64_t count = std::uint64_t{1} << logarithm;
  entries_.reserve(entries_.size() + 1);
  auto made = std::make_unique<Entry[]>(count);
  for (std::uint64_t back = 0; !are_first && back < count / 2; ++back) {
    const std::uint64_t number = newest_ - back;
    const Entry& from = entry(number);
    Entry& to = made[number & (count - 1)];
    to.data.store(from.data.load(std::memory_order_relaxed), std::memory_order_relaxed);
    to.bytes = from.bytes;
  }
  entries_.push_back(std::move(made));
  logarithm_ = logarithm;
  own_->entries.store(reinterpret_cast<std::uint64_t>(entries_.back().get()) | logarithm,
                      std::memory_order_release); // pairs with find()
}

void Posts::move(std::uint64_t number, const std::byte* data) noexcept {
  const std::lock_guard lock(mutex_);
  // Pairs with the fence in find(): who finds the new place, be it without having seen that `moved` has
  // grown, sees the bytes there.
  entry(number).data.store(data, std::memory_order_release);
  // Pairs with find(): who sees this finds the new place.
  own_->moved.store(own_->moved.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  // Pairs with read(): who sees what is written to the former place from now on sees this.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Posts::close() noexcept {
  own_->closed.store(true, std::memory_order_release);
  ring_others();
}

void Posts::take(std::uint64_t number) noexcept {
  own_->taken.store(number, std::memory_order_release); // pairs with has_taken()
  ring_others();
}

bool Posts::find(int rank, std::uint64_t number, Contribution& found) const noexcept {
  const PostWords& its = words(rank);
  for (;;) {
    found.moved = its.moved.load(std::memory_order_acquire);                   // pairs with move()
    const std::uint64_t entries = its.entries.load(std::memory_order_acquire); // pairs with add_entries()
    const std::uint64_t first = entries & ~logarithm_bits;
    const std::uint64_t count = std::uint64_t{1} << (entries & logarithm_bits);
    Entry entry;
    const bool is_read = peer_memory::read(
        its.process, reinterpret_cast<const Entry*>(first) + (number & (count - 1)), &entry, sizeof entry);
    std::atomic_thread_fence(std::memory_order_seq_cst); // pairs with what move() does
    if (its.moved.load(std::memory_order_relaxed) != found.moved) continue;
    found.data = entry.data.load(std::memory_order_relaxed);
    found.bytes = entry.bytes;
    return is_read;
  }
}

bool Posts::read(int rank, std::uint64_t number, Contribution& from, std::size_t begin, std::byte* to,
                 std::size_t bytes) const noexcept {
  const PostWords& its = words(rank);
  for (;;) {
    const bool is_read = peer_memory::read(its.process, from.data + begin, to, bytes);
    std::atomic_thread_fence(std::memory_order_seq_cst); // pairs with that in move()
    if (its.moved.load(std::memory_order_relaxed) == from.moved) return is_read;
    if (!find(rank, number, from)) return false;
  }
}

std::uint64_t Posts::newest() const noexcept {
  const std::lock_guard lock(mutex_);
  return newest_;
}

std::uint64_t Posts::all_taken() const noexcept {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const PostWords* its : words_) least = std::min(least, its->taken.load(std::memory_order_acquire));
  return std::max(least, first_); // a rank may not have come to open()
}

void Posts::ring_others() const noexcept {
  for (std::size_t rank = 0; rank < bells_.size(); ++rank) {
    if (rank != static_cast<std::size_t>(rank_) && bells_[rank] != nullptr) bells_[rank]->ring();
  }
}

} // namespace helper::transport
