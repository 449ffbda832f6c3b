// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/shm_stream.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "lifetime/never_destroyed.hpp"
#include "message/shm_area.hpp"
#include "pipeline/stream.hpp"
#include "shm/node_context.hpp"
#include "shm/shared_cache.hpp"

namespace helper::message {

namespace {

using pipeline::Stores;
using shm::arena;
using shm::SharedCache;

// refuse() looks at a closed stream each time this many further messages have found no stream.
constexpr unsigned most_refused = 64;
// MPI keeps messages whose receivers never come. refuse() hands it at most this many: then streams stay busy.
constexpr unsigned most_lost = 64;

/// Claims the blocks of this generation of stream `index` of `sender`. Returns false if the other end has
/// claimed them before. Without shared memory only the receiver can claim them.
bool claim(int sender, std::size_t index, std::uint32_t generation, bool is_receiver) {
  // The last generation whose blocks were claimed. The end that claims first sets it by a read-modify-write.
  // Relaxed: it orders nothing, since the other end then leaves the blocks alone.
  std::atomic<std::uint32_t>* const claimed = shm::node_state().stream(sender, index);
  if (claimed == nullptr) return is_receiver;
  std::uint32_t before = claimed->load(std::memory_order_relaxed);
  const auto is_later = [&] { return static_cast<std::int32_t>(generation - before) > 0; };
  while (is_later() && !claimed->compare_exchange_weak(before, generation, std::memory_order_relaxed)) {
  }
  return is_later();
}

/// The words and blocks of a stream that this process sends. Streams use an outlet one after the other.
struct Outlet {
  bool taken = false;   // a stream uses it
  bool closed = false;  // the sender has finished with that stream, but the receiver perhaps has not
  bool claimed = false; // by the sender
  bool whole = false;   // whether all pieces had been put when it was closed
  unsigned refused = 0; // Outlets::refused when it was closed or refuse() last looked at it
  pipeline::Chunks message{0, 1};
  int tag = 0;
  std::size_t pieces = 0;
  const Counter* consumed = nullptr;
  int receiver = MPI_PROC_NULL; // its rank in MPI_COMM_WORLD
  ShmRoute route{};

  bool through() const { return pieces_of(count_of(*consumed, route.generation)) == pieces; }
};

/// The words and blocks of all streams that this process sends.
struct Outlets {
  std::mutex
      mutex; // guards which outlets are taken, and the blocks; the stream guards the rest of its outlet
  std::array<Outlet, streams> outlet;
  std::vector<std::uint8_t> blocks; // blocks that no stream has
  unsigned refused = 0;             // messages for which there was no stream; it may wrap
  unsigned lost = 0;                // messages that refuse() has given to MPI
};

constexpr auto& outlets = lifetime::sole<Outlets>;

/// Returns the kind of stores for a message of `bytes` bytes to blocks that a process of the node reads.
Stores stores_for(int process, std::size_t bytes) {
  return pipeline::stores_of(bytes, SharedCache::own().with({&process, 1}) == SharedCache::Answer::yes);
}

void give_back(Outlets& all, Outlet& outlet) {
  all.blocks.insert(all.blocks.end(), outlet.route.block.begin(),
                    outlet.route.block.begin() + outlet.route.blocks);
  outlet.taken = outlet.closed = outlet.claimed = false;
}

/// Claims the pieces in the outlet's blocks, unless the receiver has claimed them.
bool claim(Outlet& outlet) {
  outlet.claimed =
      outlet.claimed || claim(ranks::world::own_rank(), outlet.route.stream, outlet.route.generation, false);
  return outlet.claimed;
}

/// Returns whether the receiver has claimed the outlet's blocks.
bool is_begun(const Outlet& outlet) {
  const auto* const claimed = shm::node_state().stream(ranks::world::own_rank(), outlet.route.stream);
  return !outlet.claimed &&
         (claimed == nullptr || claimed->load(std::memory_order_relaxed) == outlet.route.generation);
}

/// Unless the receiver has begun, sends the whole message of a closed outlet by MPI and returns true.
bool send_by_mpi(Outlet& outlet) {
  if (is_begun(outlet)) return false;
  const std::size_t size = outlet.message.total();
  auto reservation = deferred::Reservation::of(size);
  std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[size]);
  if (!reservation || memory == nullptr || !claim(outlet)) return false;
  for (std::size_t piece = 0; piece < outlet.pieces; ++piece) {
    const std::byte* const block = arena().own() + block_place(outlet.route.block[piece]);
    const std::size_t begin = outlet.message.begin(piece);
    std::copy_n(block, outlet.message.end(piece) - begin, memory.get() + begin);
  }
  return deferred::send(std::move(memory), size, outlet.receiver, outlet.tag, *reservation) == MPI_SUCCESS;
}

/// Counts a message for which there is no stream. Frees streams whose receivers have not come for long.
void refuse(Outlets& all) {
  ++all.refused;
  for (Outlet& outlet : all.outlet) {
    if (all.lost == most_lost) return;
    if (!outlet.closed || !outlet.whole || all.refused - outlet.refused < most_refused) continue;
    outlet.refused = all.refused;
    if (!send_by_mpi(outlet)) continue;
    give_back(all, outlet);
    ++all.lost;
  }
}

} // namespace

namespace shm_stream {

std::size_t area(std::size_t bytes) noexcept {
  const std::size_t granted = std::min(most_area, bytes / 4 / least_block_bytes * least_block_bytes);
  return granted < least_blocks * least_block_bytes ? 0 : granted;
}

std::size_t counters(std::size_t processes) noexcept {
  return taken_line(static_cast<int>(processes), 0);
}

std::size_t block_bytes() noexcept {
  return area_bytes < most_area ? least_block_bytes : most_block_bytes;
}

void start() {
  Outlets& all = outlets();
  for (Outlet& outlet : all.outlet) {
    const std::uint32_t generation = outlet.route.generation; // earlier generations remain claimed
    outlet = {};
    outlet.route.generation = generation;
  }
  all.blocks.clear();
  blocks_of_area = 0;
  const std::size_t begin = counters(static_cast<std::size_t>(arena().parts()));
  area_bytes = area(arena().size());
  if (begin + least_blocks * block_bytes() > area_bytes) return;
  blocks_of_area = (area_bytes - begin) / block_bytes(); // fewer than 64: 8 bits hold an index
  for (std::size_t block = 0; block < blocks_of_area; ++block)
    all.blocks.push_back(static_cast<std::uint8_t>(block));
}

} // namespace shm_stream

std::optional<ShmWriter> ShmWriter::open(int world_rank, pipeline::Chunks message) {
  const std::size_t pieces = message.count();
  if (pieces >= last_flag) return std::nullopt;
  Outlets& all = outlets();
  const std::lock_guard lock(all.mutex);
  std::size_t index = streams;
  for (std::size_t i = 0; i < streams; ++i) {
    Outlet& outlet = all.outlet[i];
    if (outlet.closed && outlet.through()) give_back(all, outlet);
    if (!outlet.taken && index == streams) index = i;
  }
  // At most half of the free blocks, so that other messages find some too.
  const std::size_t granted = std::min({pieces, shm_stream::most_blocks, all.blocks.size() / 2});
  if (index == streams || granted < std::min<std::size_t>(pieces, 2)) {
    refuse(all);
    return std::nullopt;
  }

  const auto end = all.blocks.begin() + static_cast<std::ptrdiff_t>(granted);
  const auto lacks_memory = std::find_if_not(all.blocks.begin(), end, [](std::size_t block) {
    return arena().provide(block_place(block), shm_stream::block_bytes());
  });
  if (lacks_memory != end) {
    all.blocks.erase(lacks_memory);
    return std::nullopt;
  }

  Outlet& outlet = all.outlet[index];
  outlet.taken = true;
  outlet.pieces = pieces;
  outlet.message = message;
  outlet.tag = tags::draw();
  outlet.receiver = world_rank;
  outlet.consumed = &counter(arena().part(world_rank), taken_line(arena().own_index(), index));
  outlet.route = {
      outlet.route.generation + 1, static_cast<std::uint8_t>(index), static_cast<std::uint8_t>(granted), {}};
  // The blocks that have not been used for longest: see shm::Room.
  std::copy(all.blocks.begin(), end, outlet.route.block.begin());
  all.blocks.erase(all.blocks.begin(), end);
  own_counter(put_line(index)).store(word(outlet.route.generation, 0), std::memory_order_relaxed);
  return ShmWriter(index, message, stores_for(arena().index(world_rank), message.total()), outlet.tag);
}

ShmWriter::ShmWriter(ShmWriter&& other) noexcept
    : index_(std::exchange(other.index_, streams)), pieces_(other.pieces_), stores_(other.stores_),
      tag_(other.tag_), put_(other.put_), announced_(other.announced_),
      is_synchronous_(other.is_synchronous_) {}

ShmWriter::~ShmWriter() {
  if (index_ == streams) return;
  Outlets& all = outlets();
  const std::lock_guard lock(all.mutex);
  Outlet& outlet = all.outlet[index_];
  if (announced_ && !outlet.claimed) {
    outlet.closed = true;
    outlet.whole = put_ == pieces_.count();
    outlet.refused = all.refused;
  } else {
    give_back(all, outlet);
  }
}

const ShmRoute& ShmWriter::route() const noexcept {
  return outlets().outlet[index_].route;
}

std::size_t ShmWriter::credit() const noexcept {
  const Outlet& outlet = outlets().outlet[index_];
  if (outlet.claimed) return put_;
  const std::size_t taken = pieces_of(count_of(*outlet.consumed, outlet.route.generation));
  return std::min(taken + outlet.route.blocks, outlet.pieces);
}

bool ShmWriter::is_held() const noexcept {
  if (!is_synchronous_) return false;
  const Outlet& outlet = outlets().outlet[index_];
  const std::byte* const part = arena().part(outlet.receiver);
  const int own = arena().own_index();
  return counter(part, word_about(own, Word::hesitates)).load(std::memory_order_acquire) != 0 ||
         counter(part, held_word(own, index_)).load(std::memory_order_acquire) == outlet.route.generation;
}

std::byte* ShmWriter::place(std::size_t index) const noexcept {
  const ShmRoute& route = this->route();
  return arena().own() + block_place(route.block[index % route.blocks]);
}

void ShmWriter::put(std::size_t pieces) noexcept {
  const int receiver = arena().index(outlets().outlet[index_].receiver);
  put_ = pieces;
  show(word(route().generation, pieces));
  SharedCache::own().look({&receiver, 1});
}

void ShmWriter::pack(const layout::PackedData& data, std::size_t begin, std::size_t end,
                     std::byte* place) const noexcept {
  pipeline::pack(data, begin, end, place, stores_);
}

bool ShmWriter::rescue(const layout::PackedData& data, deferred::Reservation& reservation) noexcept {
  if (put_ == pieces_.count()) return true;
  Outlets& all = outlets();
  Outlet& outlet = all.outlet[index_];
  // Allocates first: a receiver that finds the blocks claimed waits for MPI's message.
  std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[data.size()]);
  if (memory == nullptr) return false;
  const bool is_whole = claim(outlet);
  const std::size_t begin = is_whole ? 0 : pieces_.begin(put_);
  data.pack(begin, data.size(), memory.get());
  if (deferred::send(std::move(memory), data.size() - begin, outlet.receiver, tag_, reservation) !=
      MPI_SUCCESS)
    return false;
  if (!is_whole) {
    show(word(route().generation, put_) | last_flag);
  } else if (!is_synchronous_) { // or a probe of the receiver may hold this generation
    const std::lock_guard lock(all.mutex);
    give_back(all, outlet);
    index_ = streams;
  }
  put_ = pieces_.count();
  return true;
}

void ShmWriter::show(std::uint64_t count) noexcept {
  own_counter(put_line(index_)).store(count, std::memory_order_release);
  shm::node_state().ring(outlets().outlet[index_].receiver);
}

std::optional<ShmReader> ShmReader::open(int world_rank, const ShmRoute& route) {
  const std::byte* const part = blocks_of_area == 0 ? nullptr : arena().part(world_rank);
  const bool known = part != nullptr && route.stream < streams && route.blocks != 0 &&
                     route.blocks <= shm_stream::most_blocks &&
                     std::all_of(route.block.begin(), route.block.begin() + route.blocks,
                                 [](std::size_t block) { return block < blocks_of_area; });
  if (!known) return std::nullopt;
  const int sender = arena().index(world_rank);
  SharedCache::own().look({&sender, 1}); // the sender may have asked this process to read its lines
  return ShmReader(part, counter(part, put_line(route.stream)), own_counter(taken_line(sender, route.stream)),
                   route, world_rank, claim(world_rank, route.stream, route.generation, true));
}

std::size_t ShmReader::filled() const noexcept {
  return !is_claimed_ ? 0 : pieces_of(count_of(*filled_, route_.generation));
}

bool ShmReader::is_last() const noexcept {
  return !is_claimed_ || (count_of(*filled_, route_.generation) & last_flag) != 0;
}

const std::byte* ShmReader::place(std::size_t index) const noexcept {
  return part_ + block_place(route_.block[index % route_.blocks]);
}

void ShmReader::take(std::size_t pieces) noexcept {
  if (!is_claimed_) return; // another stream may use the word
  taken_->store(word(route_.generation, pieces), std::memory_order_release);
  shm::node_state().ring(sender_);
}

} // namespace helper::message
