// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/window.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "shm/node_context.hpp"
#include "shm/shared_cache.hpp"

namespace helper::shm {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

static OwnFrames& frames() noexcept {
  return node_context().frames;
}

bool OwnFrames::Idle::is_free() const noexcept {
  return std::ranges::all_of(peers, [this](const Frame* peer) {
    return peer->finished.load(std::memory_order_acquire) >= number; // pairs with Window::finish
  });
}

/// Gives back the rooms of frames that are not leased, if no rank reads there any more.
void OwnFrames::give_rooms_back() noexcept {
  const std::lock_guard lock(mutex_);
  for (Idle& idle : idle_) {
    if (idle.is_free()) idle.rooms = {};
  }
}

// Parts begin as zeros, which is a valid representation of a frame.
void OwnFrames::divide(std::size_t begin, std::size_t count) {
  const std::lock_guard lock(mutex_);
  idle_.clear(); // frames of an earlier arena
  count_ = 0;
  if (begin + count * sizeof(Frame) > arena().size()) return;
  begin_ = begin;
  count_ = count;
  auto* const first = reinterpret_cast<Frame*>(arena().own() + begin);
  for (std::size_t index = 0; index < count; ++index) idle_.push_back({first + index, 0, {}, {}});
}

/// Prepares a frame that has never been leased. Returns false if the system has no memory for it.
static bool begin_frame(Frame& frame) noexcept {
  const std::ptrdiff_t offset = reinterpret_cast<std::byte*>(&frame) - arena().own();
  if (!arena().provide(static_cast<std::size_t>(offset), sizeof frame)) return false;
  frame.posts.process = getpid();
  for (PostWords& words : frame.persistent) words.process = getpid();
  return true;
}

std::unique_ptr<Window> OwnFrames::lease() {
  give_rooms_back();
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(idle_, &Idle::is_free);
  if (found == idle_.end()) return nullptr;
  if (found->number == 0 && !begin_frame(*found->frame)) {
    idle_.erase(found);
    return nullptr;
  }
  std::unique_ptr<Window> leased(new Window(*found->frame));
  idle_.erase(found);
  return leased;
}

std::uint64_t OwnFrames::newest() noexcept {
  const std::lock_guard lock(mutex_);
  return newest_;
}

long Window::index() const noexcept {
  return &own_ - reinterpret_cast<const Frame*>(arena().own() + frames().begin_);
}

bool Window::open(std::span<const int> world_ranks, std::span<const long> indices,
                  const std::vector<team::Bell*>& bells, int own, std::uint64_t newest) {
  if (world_ranks.size() != indices.size()) return false;
  for (std::size_t rank = 0; rank < indices.size(); ++rank) {
    if (indices[rank] < 0 || indices[rank] >= static_cast<long>(frames().count_)) return false;
    parts_.push_back(arena().part(world_ranks[rank]));
    frames_.push_back(reinterpret_cast<const Frame*>(parts_.back() + frames().begin_) + indices[rank]);
    if (parts_.back() != arena().own()) peers_.push_back(arena().index(world_ranks[rank]));
  }
  number_ = all_finished_ = newest;
  finish(newest);
  std::vector<const PostWords*> words;
  for (const Frame* frame : frames_) words.push_back(&frame->posts);
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
struct Window::LeasedPosts {
  LeasedPosts(std::shared_ptr<Window> of, int words, std::uint64_t newest)
      : window(std::move(of)), bit(std::uint32_t{1} << words) {
    const auto index = static_cast<std::size_t>(words);
    std::vector<const PostWords*> all;
    for (const Frame* frame : window->frames_) all.push_back(&frame->persistent[index]);
    posts.open(window->own_.persistent[index], std::move(all), window->bells_, window->rank_, newest);
    if (window->agreed_ != nullptr) posts.share(window->agreed_ + 1 + index, window->shared_parts_);
    window->leased_.fetch_or(bit, std::memory_order_relaxed);
  }
  ~LeasedPosts() {
    window->leased_.fetch_and(~bit, std::memory_order_release);
  } // pairs with has_free_posts()
  LeasedPosts(const LeasedPosts&) = delete;
  LeasedPosts& operator=(const LeasedPosts&) = delete;

  const std::shared_ptr<Window> window;
  const std::uint32_t bit;
  Posts posts;
};

std::shared_ptr<Posts> Window::lease_posts(std::shared_ptr<Window> window, int index, std::uint64_t newest) {
  const auto leased = std::make_shared<LeasedPosts>(std::move(window), index, newest);
  return {leased, &leased->posts};
}

bool Window::has_free_posts(int index) const noexcept {
  const bool is_leased = (leased_.load(std::memory_order_acquire) >> index & 1U) != 0;
  const PostWords& words = own_.persistent[static_cast<std::size_t>(index)];
  return !is_leased && !words.closed.load(std::memory_order_relaxed);
}

std::uint64_t Window::newest_persistent() const noexcept {
  std::uint64_t newest = 0;
  for (const PostWords& words : own_.persistent)
    newest = std::max(newest, words.posted.load(std::memory_order_relaxed));
  return newest;
}

void Window::close_posts() noexcept {
  for (PostWords& words : own_.persistent)
    words.closed.store(true, std::memory_order_release); // pairs with Posts::has_left()
  posts_.close();                                        // and rings
}

bool Window::has_closed_posts() const noexcept {
  return std::ranges::any_of(
      own_.persistent, [](const PostWords& words) { return words.closed.load(std::memory_order_relaxed); });
}

void Window::look(int most) noexcept {
  SharedCache& cache = SharedCache::own();
  while (!cache.look(peers_) && --most > 0) {
  }
  const auto answer = cache.with(peers_);
  must_look_ = answer == SharedCache::Answer::unknown;
  shares_cache_ = answer == SharedCache::Answer::yes;
}

std::byte* Window::place(std::uint64_t number, std::size_t bytes, bool in_room) noexcept {
  Frame::FrameSlot& slot = own_.slot(number);
  Room& room = rooms_[number % rooms_.size()];
  if (number - rooms_.size() <= all_finished_) room = Room(); // nobody reads there any more
  if (is_small(bytes)) return slot.little.data();
  if (in_room && Room::pays(bytes)) {
    room = Room(bytes);
    if (room.data() == nullptr) frames().give_rooms_back(); // some may be free at the next call
  }
  std::byte* const place = room.data() != nullptr ? room.data() : own_.board(number);
  slot.where = static_cast<std::size_t>(place - arena().own());
  return place;
}

const std::byte* Window::shown(int rank, std::uint64_t number, std::size_t bytes) const noexcept {
  const Frame::FrameSlot& slot = of(rank).slot(number);
  if (is_small(bytes)) return slot.little.data();
  return find(rank, slot.where, bytes);
}

const std::byte* Window::find(int rank, std::size_t offset, std::size_t bytes) const noexcept {
  return arena().holds(offset, bytes) ? parts_[static_cast<std::size_t>(rank)] + offset : nullptr;
}

Window::~Window() {
  if (kept_ || has_closed_posts()) {
    for (Room& room : rooms_) room.keep();
    return;
  }
  OwnFrames& all = frames();
  const std::lock_guard lock(all.mutex_);
  all.newest_ = std::max({all.newest_, number_, posts_.newest()});
  all.idle_.push_back({&own_, number_, std::move(frames_), std::move(rooms_)});
}

bool Window::look_for(std::uint64_t number) noexcept {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const Frame* frame : frames_)
    least = std::min(least, frame->finished.load(std::memory_order_acquire)); // pairs with finish()
  all_finished_ = std::max(all_finished_, least);
  return number <= all_finished_;
}

} // namespace helper::shm
