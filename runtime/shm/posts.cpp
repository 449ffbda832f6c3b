// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/posts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "lifetime/never_destroyed.hpp"
#include "shm/peer_memory.hpp"

namespace helper::shm {

void Posts::open(PostFlags& own, std::vector<const PostFlags*> words, std::vector<team::Bell*> bells,
                 int rank, std::uint64_t newest) {
  own_ = &own;
  words_ = std::move(words);
  bells_ = std::move(bells);
  rank_ = rank;
  first_ = newest_ = newest;
  own.request.store(0, std::memory_order_release);
  own.taken.store(newest, std::memory_order_release);
  own.posted.store(newest, std::memory_order_release);
}

bool Posts::agree_on_next() noexcept {
  if (agreed_ == nullptr) return true;
  constexpr std::uint64_t stopped = 1;
  const std::uint64_t next = newest() + 1;
  std::uint64_t agreed = agreed_->load(std::memory_order_relaxed);
  for (;;) {
    if (next <= agreed >> 1) return true;
    if ((agreed & stopped) != 0) return false;
    const bool stops = peer_memory::is_refused();
    const std::uint64_t wanted = stops ? agreed | stopped : next << 1;
    if (agreed_->compare_exchange_weak(agreed, wanted, std::memory_order_relaxed)) return !stops;
  }
}

std::uint64_t Posts::post(const std::byte* data, std::size_t bytes) {
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = newest_ + 1;
    if (entries_.empty() || number - all_taken() > std::uint64_t{1} << logarithm_) add_entries();
    PostEntry& added = entry(number);
    added.data.store(data, std::memory_order_relaxed);
    added.bytes = bytes;
    newest_ = number;
    own_->posted.store(number, std::memory_order_release); // pairs with has_posted()
  }
  ring_others();
  return number;
}

/// Makes the first array of entries, or one of twice the size with copies of the entries. Keeps old arrays.
void Posts::add_entries() {
  const bool are_first = entries_.empty();
  const unsigned logarithm = are_first ? logarithm_ : logarithm_ + 1;
  const std::uint64_t count = std::uint64_t{1} << logarithm;
  entries_.reserve(entries_.size() + 1);
  auto made = std::make_unique<PostEntry[]>(count);
  for (std::uint64_t back = 0; !are_first && back < count / 2; ++back) {
    const std::uint64_t number = newest_ - back;
    const PostEntry& from = entry(number);
    PostEntry& to = made[number & (count - 1)];
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
  // Pairs with the fence in find(): a thread that finds the new place sees its bytes, whatever `moved` is.
  entry(number).data.store(data, std::memory_order_release);
  // Pairs with find(): a thread that sees the new count finds the new place.
  own_->moved.store(own_->moved.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  // Pairs with read(): a thread that sees later writes to the former place sees the new count.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Posts::close() noexcept {
  own_->closed.store(true, std::memory_order_release);
  ring_others();
}

void Posts::take(std::uint64_t number) noexcept {
  own_->request.store(0, std::memory_order_release);    // left by a failed operation
  own_->taken.store(number, std::memory_order_release); // pairs with has_taken()
  ring_others();
}

bool Posts::find(int rank, std::uint64_t number, PostedContribution& found) const noexcept {
  const PostFlags& its = words(rank);
  for (;;) {
    found.moved = its.moved.load(std::memory_order_acquire);                   // pairs with move()
    const std::uint64_t entries = its.entries.load(std::memory_order_acquire); // pairs with add_entries()
    const std::uint64_t first = entries & ~logarithm_bits;
    const std::uint64_t count = std::uint64_t{1} << (entries & logarithm_bits);
    PostEntry entry;
    const bool is_read =
        peer_memory::read(its.process, reinterpret_cast<const PostEntry*>(first) + (number & (count - 1)),
                          &entry, sizeof entry);
    std::atomic_thread_fence(std::memory_order_seq_cst); // pairs with the stores in move()
    if (its.moved.load(std::memory_order_relaxed) != found.moved) continue;
    found.data = entry.data.load(std::memory_order_relaxed);
    found.bytes = entry.bytes;
    return is_read;
  }
}

bool Posts::read(int rank, std::uint64_t number, PostedContribution& from, std::size_t begin, std::byte* to,
                 std::size_t bytes) const noexcept {
  const PostFlags& its = words(rank);
  for (;;) {
    const bool is_read = peer_memory::read(its.process, from.data + begin, to, bytes);
    std::atomic_thread_fence(std::memory_order_seq_cst); // pairs with the fence in move()
    if (its.moved.load(std::memory_order_relaxed) == from.moved) return is_read;
    if (!find(rank, number, from)) return false;
  }
}

namespace {

constexpr int bits_of_rank = 9; // of a rank + 1
constexpr int bits_of_number = 15;

/// Returns the word for a request to `rank`, or for the answer to a request of `rank`: operation `number`,
/// from byte `offset` on. Only low bits of `number` are in the word. Requests still differ, since few
/// operations of a communicator are relayed: once the system refuses copies, new operations are native.
std::uint64_t request_of(int rank, std::uint64_t number, std::size_t offset) noexcept {
  const std::uint64_t low = number & ((std::uint64_t{1} << bits_of_number) - 1);
  return (offset << bits_of_number | low) << bits_of_rank | static_cast<std::uint64_t>(rank + 1);
}

/// The request that this process's PostPart answers.
struct Answered {
  std::mutex mutex; // guards the part and the following
  const PostFlags* words = nullptr;
  std::uint64_t request = 0;

  /// Returns whether the part may still be read.
  bool is_in_use() const noexcept {
    return words != nullptr && words->request.load(std::memory_order_acquire) == request;
  }
};

} // namespace

void Posts::ask(int rank, std::uint64_t request) noexcept {
  own_->request.store(request, std::memory_order_release); // pairs with answer()
  ring(rank);
}

bool Posts::relay(int rank, std::uint64_t number, Relayed& to) {
  const std::uint64_t request = request_of(rank, number, to.bytes.size());
  if (own_->request.load(std::memory_order_relaxed) != request) return ask(rank, request), false;
  if (words(rank).answered.load(std::memory_order_acquire) != request_of(rank_, number, to.bytes.size()))
    return false;
  const PostPart& part = *parts_[static_cast<std::size_t>(rank)];
  to.bytes.reserve(part.whole);
  const std::size_t bytes = std::min(part.bytes.size(), part.whole - to.bytes.size());
  to.bytes.insert(to.bytes.end(), part.bytes.begin(),
                  part.bytes.begin() + static_cast<std::ptrdiff_t>(bytes));
  to.is_whole = to.bytes.size() == part.whole;
  ask(rank, to.is_whole ? 0 : request_of(rank, number, to.bytes.size()));
  return true;
}

bool Posts::answer() noexcept {
  if (!can_relay()) return false;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || entries_.empty()) return false;
  for (int step = 1; step < ranks(); ++step) {
    if (answer((rank_ + step) % ranks())) return true;
  }
  return false;
}

/// Answers the rank's request, if it has one to this rank. The caller holds the mutex.
bool Posts::answer(int rank) noexcept {
  const PostFlags& its = words(rank);
  const std::uint64_t request = its.request.load(std::memory_order_acquire);
  if (request == 0) return false;
  const std::uint64_t number = its.taken.load(std::memory_order_acquire) + 1;
  const std::size_t offset = request >> (bits_of_rank + bits_of_number);
  if (request != request_of(rank_, number, offset) || number > newest_) return false;
  Answered& last = lifetime::sole<Answered>();
  const std::unique_lock lock(last.mutex, std::try_to_lock);
  if (!lock || last.is_in_use()) return false;
  const PostEntry& from = entry(number);
  if (offset > from.bytes) return false;
  PostPart& part = *parts_[static_cast<std::size_t>(rank_)];
  const std::size_t bytes = std::min(part.bytes.size(), from.bytes - offset);
  std::copy_n(from.data.load(std::memory_order_relaxed) + offset, bytes, part.bytes.begin());
  part.whole = from.bytes;
  last.words = &its;
  last.request = request;
  own_->answered.store(request_of(rank, number, offset), std::memory_order_release); // pairs with relay()
  ring(rank);
  return true;
}

std::uint64_t Posts::newest() const noexcept {
  const std::lock_guard lock(mutex_);
  return newest_;
}

std::uint64_t Posts::all_taken() const noexcept {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const PostFlags* its : words_) least = std::min(least, its->taken.load(std::memory_order_acquire));
  return std::max(least, first_); // a rank may not have called open() yet
}

void Posts::ring_others() const noexcept {
  for (std::size_t rank = 0; rank < bells_.size(); ++rank) {
    if (rank != static_cast<std::size_t>(rank_) && bells_[rank] != nullptr) bells_[rank]->ring();
  }
}

} // namespace helper::shm
