// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// What processes of a node show each other in addition to streams: that they recognise an RTS or receive
// through the library, how many messages they have announced and received, and what a probe holds.

#include "message/shm_area.hpp"

namespace helper::message::shm_stream {

namespace {

// The flags in the first word of an area: what its process has shown. Flags are only ever set, by
// read-modify-write, since several threads may set some. The release of the set pairs with the acquire in
// has_shown(). A process may send a message because it sees a flag. A thread that receives this message then
// sees what the thread that set the flag had done before (acts_outside in message.hpp relies on this).
constexpr std::uint64_t looking = 1;
constexpr std::uint64_t receiving = 2;

void show(std::uint64_t flag) {
  if (blocks_of_area == 0) return;
  Counter& shown = own_counter(0);
  if ((shown.load(std::memory_order_relaxed) & flag) == 0) shown.fetch_or(flag, std::memory_order_release);
}

bool has_shown(int world_rank, std::uint64_t flag) {
  return connects(world_rank) &&
         (counter(arena().part(world_rank), 0).load(std::memory_order_acquire) & flag) != 0;
}

/// Returns the word of this process about the rank, with which it has streams.
Counter& own_word(int world_rank, Word word) {
  return own_counter(word_about(arena().index(world_rank), word));
}

} // namespace

void look() noexcept {
  show(looking);
}

void be_ready() noexcept {
  show(receiving);
}

bool connects(int world_rank) noexcept {
  if (blocks_of_area == 0) return false;
  const std::byte* const part = arena().part(world_rank);
  return part != nullptr && part != arena().own();
}

bool looks(int world_rank) noexcept {
  return has_shown(world_rank, looking);
}

bool reaches(int world_rank) noexcept {
  return has_shown(world_rank, receiving);
}

// While an announcement is in flight, `announced` exceeds `received`: see may_come(). Relaxed: MPI orders
// this count before the message, and count_received() counts only announcements that have arrived.
void count_announced(int world_rank) noexcept {
  if (connects(world_rank)) own_word(world_rank, Word::announced).fetch_add(1, std::memory_order_relaxed);
}

void count_received(int world_rank) noexcept {
  if (connects(world_rank)) own_word(world_rank, Word::received).fetch_add(1, std::memory_order_relaxed);
}

void uncount_received(int world_rank) noexcept {
  if (connects(world_rank)) own_word(world_rank, Word::received).fetch_sub(1, std::memory_order_relaxed);
}

bool may_come(int world_rank) noexcept {
  if (!connects(world_rank)) return true;
  const std::uint64_t received = own_word(world_rank, Word::received).load(std::memory_order_relaxed);
  const Counter& announced =
      counter(arena().part(world_rank), word_about(arena().own_index(), Word::announced));
  return announced.load(std::memory_order_relaxed) != received;
}

// A probe hesitates from before it receives a message until after hold(). A sender whose synchronous send was
// received sees, with acquire, that this process hesitates or has hesitated. If it has, the sender sees what
// was held. Both stores are releases. Only the holder of the mutex of the unexpected queue hesitates.
void hesitate(int world_rank, bool hesitates) noexcept {
  if (!connects(world_rank)) return;
  own_word(world_rank, Word::hesitates).store(hesitates ? 1 : 0, std::memory_order_release);
}

void hold(int world_rank, const ShmRoute& route) noexcept {
  if (!connects(world_rank) || route.blocks == 0 || route.stream >= streams) return;
  own_counter(held_word(arena().index(world_rank), route.stream))
      .store(route.generation, std::memory_order_release);
}

// A held synchronous send keeps its stream, so no later send of the stream overwrites the held word.
void release(int world_rank, const ShmRoute& route) noexcept {
  if (!connects(world_rank) || route.blocks == 0 || route.stream >= streams) return;
  Counter& held = own_counter(held_word(arena().index(world_rank), route.stream));
  if (held.load(std::memory_order_relaxed) != route.generation) return;
  held.store(0, std::memory_order_release);
  shm::node_state().ring(world_rank);
}

} // namespace helper::message::shm_stream
