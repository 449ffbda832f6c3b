// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/control.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "shm/node_context.hpp"
#include "shm/shared_cache.hpp"

namespace helper::shm {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

static ControlPool& pool() noexcept {
  return node_context().control;
}

bool ControlPool::Idle::is_free() const noexcept {
  return std::ranges::all_of(peers, [this](const ControlBlock* peer) {
    return peer->finished.load(std::memory_order_acquire) >= number; // pairs with CommControl::finish
  });
}

/// Gives back the rooms of control blocks that are not leased, if no rank reads there any more.
void ControlPool::give_rooms_back() noexcept {
  const std::lock_guard lock(mutex_);
  for (Idle& idle : idle_) {
    if (idle.is_free()) idle.rooms = {};
  }
}

// Parts begin as zeros, which is a valid representation of a control block.
void ControlPool::divide(std::size_t begin, std::size_t count) {
  const std::lock_guard lock(mutex_);
  idle_.clear(); // those of an earlier arena
  count_ = 0;
  if (begin + count * sizeof(ControlBlock) > arena().size()) return;
  begin_ = begin;
  count_ = count;
  auto* const first = reinterpret_cast<ControlBlock*>(arena().own() + begin);
  for (std::size_t index = 0; index < count; ++index) idle_.push_back({first + index, 0, {}, {}});
}

/// Prepares a control block that has never been leased. Returns false if the system has no memory for it.
static bool begin_block(ControlBlock& block) noexcept {
  const std::ptrdiff_t offset = reinterpret_cast<std::byte*>(&block) - arena().own();
  if (!arena().provide(static_cast<std::size_t>(offset), sizeof block)) return false;
  block.posts.process = getpid();
  for (PostFlags& words : block.persistent) words.process = getpid();
  return true;
}

std::unique_ptr<CommControl> ControlPool::lease() {
  give_rooms_back();
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(idle_, &Idle::is_free);
  if (found == idle_.end()) return nullptr;
  if (found->number == 0 && !begin_block(*found->block)) {
    idle_.erase(found);
    return nullptr;
  }
  std::unique_ptr<CommControl> leased(new CommControl(*found->block));
  idle_.erase(found);
  return leased;
}

std::uint64_t ControlPool::newest() noexcept {
  const std::lock_guard lock(mutex_);
  return newest_;
}

long CommControl::index() const noexcept {
  return &own_ - reinterpret_cast<const ControlBlock*>(arena().own() + pool().begin_);
}

bool CommControl::open(std::span<const int> world_ranks, std::span<const long> indices,
                       const std::vector<team::Bell*>& bells, int own, std::uint64_t newest) {
  if (world_ranks.size() != indices.size()) return false;
  for (std::size_t rank = 0; rank < indices.size(); ++rank) {
    if (indices[rank] < 0 || indices[rank] >= static_cast<long>(pool().count_)) return false;
    parts_.push_back(arena().part(world_ranks[rank]));
    blocks_.push_back(reinterpret_cast<const ControlBlock*>(parts_.back() + pool().begin_) + indices[rank]);
    if (parts_.back() != arena().own()) peers_.push_back(arena().index(world_ranks[rank]));
  }
  number_ = all_finished_ = newest;
  finish(newest);
  std::vector<const PostFlags*> words;
  for (const ControlBlock* block : blocks_) words.push_back(&block->posts);
  posts_.open(own_.posts, std::move(words), bells, own, newest);
  agreed_ = node_state().agreed(world_ranks[0], static_cast<std::size_t>(indices[0]));
  if (agreed_ != nullptr) {
    for (const int rank : world_ranks) shared_parts_.push_back(node_state().part(rank));
    posts_.share(agreed_, shared_parts_);
  }
  bells_ = bells;
  rank_ = own;
  return true;
}

/// The posts of a persistent operation.
struct CommControl::LeasedPosts {
  LeasedPosts(std::shared_ptr<CommControl> of, int words, std::uint64_t newest)
      : control(std::move(of)), bit(std::uint32_t{1} << words) {
    const auto index = static_cast<std::size_t>(words);
    std::vector<const PostFlags*> all;
    for (const ControlBlock* block : control->blocks_) all.push_back(&block->persistent[index]);
    posts.open(control->own_.persistent[index], std::move(all), control->bells_, control->rank_, newest);
    if (control->agreed_ != nullptr) posts.share(control->agreed_ + 1 + index, control->shared_parts_);
    control->leased_.fetch_or(bit, std::memory_order_relaxed);
  }
  ~LeasedPosts() {
    control->leased_.fetch_and(~bit, std::memory_order_release);
  } // pairs with has_free_posts()
  LeasedPosts(const LeasedPosts&) = delete;
  LeasedPosts& operator=(const LeasedPosts&) = delete;

  const std::shared_ptr<CommControl> control;
  const std::uint32_t bit;
  Posts posts;
};

std::shared_ptr<Posts> CommControl::lease_posts(std::shared_ptr<CommControl> control, int index,
                                                std::uint64_t newest) {
  const auto leased = std::make_shared<LeasedPosts>(std::move(control), index, newest);
  return {leased, &leased->posts};
}

bool CommControl::has_free_posts(int index) const noexcept {
  const bool is_leased = (leased_.load(std::memory_order_acquire) >> index & 1U) != 0;
  const PostFlags& words = own_.persistent[static_cast<std::size_t>(index)];
  return !is_leased && !words.closed.load(std::memory_order_relaxed);
}

std::uint64_t CommControl::newest_persistent() const noexcept {
  std::uint64_t newest = 0;
  for (const PostFlags& words : own_.persistent)
    newest = std::max(newest, words.posted.load(std::memory_order_relaxed));
  return newest;
}

void CommControl::close_posts() noexcept {
  for (PostFlags& words : own_.persistent)
    words.closed.store(true, std::memory_order_release); // pairs with Posts::has_left()
  posts_.close();                                        // and rings
}

bool CommControl::has_closed_posts() const noexcept {
  return std::ranges::any_of(
      own_.persistent, [](const PostFlags& words) { return words.closed.load(std::memory_order_relaxed); });
}

void CommControl::look(int most) noexcept {
  SharedCache& cache = SharedCache::own();
  while (!cache.look(peers_) && --most > 0) {
  }
  const auto answer = cache.with(peers_);
  must_look_ = answer == SharedCache::Answer::unknown;
  shares_cache_ = answer == SharedCache::Answer::yes;
}

std::byte* CommControl::place(std::uint64_t number, std::size_t bytes, bool in_room) noexcept {
  ControlBlock::Contribution& contribution = own_.contribution(number);
  Room& room = rooms_[number % rooms_.size()];
  if (number - rooms_.size() <= all_finished_) room = Room(); // nobody reads there any more
  if (is_small(bytes)) return contribution.little.data();
  if (RoomBuffer& rooms = node_context().rooms; in_room && rooms.pays(bytes)) {
    room = rooms.lease_next(bytes);
    if (room == nullptr) pool().give_rooms_back(); // some may be free at the next call
  }
  std::byte* const place = room != nullptr ? room.get() : own_.payload(number);
  contribution.where = static_cast<std::size_t>(place - arena().own());
  return place;
}

const std::byte* CommControl::shown(int rank, std::uint64_t number, std::size_t bytes) const noexcept {
  const ControlBlock::Contribution& contribution = of(rank).contribution(number);
  if (is_small(bytes)) return contribution.little.data();
  return find(rank, contribution.where, bytes);
}

const std::byte* CommControl::find(int rank, std::size_t offset, std::size_t bytes) const noexcept {
  return arena().holds(offset, bytes) ? parts_[static_cast<std::size_t>(rank)] + offset : nullptr;
}

CommControl::~CommControl() {
  if (kept_ || has_closed_posts()) {
    for (Room& room : rooms_) static_cast<void>(room.release()); // others may still read there
    return;
  }
  ControlPool& all = pool();
  const std::lock_guard lock(all.mutex_);
  all.newest_ = std::max({all.newest_, number_, posts_.newest()});
  all.idle_.push_back({&own_, number_, std::move(blocks_), std::move(rooms_)});
}

bool CommControl::look_for(std::uint64_t number) noexcept {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const ControlBlock* block : blocks_)
    least = std::min(least, block->finished.load(std::memory_order_acquire)); // pairs with finish()
  all_finished_ = std::max(all_finished_, least);
  return number <= all_finished_;
}

} // namespace helper::shm
