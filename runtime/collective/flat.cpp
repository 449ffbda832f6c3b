// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/flat.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>

#include "pipeline/store_choice.hpp"

namespace helper::collective {

using pipeline::StoreChoice;
using pipeline::Stores;
using pipeline::Stream;
using transport::Shadow;

namespace {

/// What streaming stores cost besides, 0.2 ns a byte: a reader finds the bytes in memory and not in a cache,
/// which takes 0.15, and plain stores take less in a Room than where they are timed. That is between what
/// plain stores to the same place as always take where cores share a cache, about 0.1, and where they share
/// none, 0.3 to 0.4. Streaming ones take 0.04.
constexpr std::chrono::nanoseconds besides_streaming(std::size_t bytes) {
  return std::chrono::nanoseconds(bytes / 5);
}

/// Whether bytes of both lie in the same memory, or may.
bool overlap(const Stream& one, const Stream& other) {
  const auto begin = [](const Stream& stream) { return reinterpret_cast<std::uintptr_t>(stream.dense()); };
  return !one.is_dense() || !other.is_dense() ||
         (begin(one) < begin(other) + other.size() && begin(other) < begin(one) + one.size());
}

/// What the ranks contribute, as one of them reads it: its own from the user's buffer, where that may be,
/// rather than from its slot, which would slow it down.
struct Contributions {
  Contributions(const Reduction& reduction, Flat& shown, const Stream& from, const Stream& to)
      : flat(shown), self(reduction.shadow.rank()), own(overlap(from, to) ? nullptr : from.dense()),
        bytes(from.size()) {}

  const std::byte* operator()(int rank) const {
    return rank == self && own != nullptr ? own : flat.see(rank, bytes);
  }

  Flat& flat;
  const int self;
  const std::byte* const own;
  const std::size_t bytes;
};

/// Combines those of the first `ranks` ranks, in their order: `bytes` bytes from byte `begin` on, into `out`.
void combine(const Reduction& reduction, const Contributions& of, int ranks, std::size_t begin,
             std::size_t bytes, std::byte* out) {
  const std::byte* lower = of(0) + begin;
  if (ranks == 1) std::memcpy(out, lower, bytes);
  for (int rank = 1; rank < ranks; ++rank) {
    const std::array operands{lower, of(rank) + begin};
    reduction.reducer.reduce(operands, 0, bytes / reduction.reducer.element(), out);
    lower = out;
  }
}

/// As combine(), as many bytes as fit into `to`.
void store(const Reduction& reduction, const Contributions& of, int ranks, std::size_t begin,
           const Stream& to) {
  if (to.is_dense()) {
    combine(reduction, of, ranks, begin, to.size(), to.dense());
  } else {
    alignas(64) std::array<std::byte, transport::Frame::slot_bytes> result;
    combine(reduction, of, ranks, begin, to.size(), result.data());
    to.unpack(0, to.size(), result.data());
  }
}

void show(Flat& flat, const Stream& from) {
  flat.show(from.size(), [&](const auto& place) {
    const Writer writer(from.size(), from.is_dense());
    writer.pack(from, place(writer.in_room()));
  });
}

} // namespace

Writer::Writer(std::size_t bytes, bool is_dense) noexcept {
  constexpr std::size_t least = 2048; // below that it hardly matters
  static constinit pipeline::StoreChoices choices;
  if (bytes < least) return;
  choice_ = &choices.of(bytes, is_dense);
  turn_ = choice_->choose();
}

void Writer::pack(const Stream& from, std::byte* slot) const noexcept {
  pipeline::PackToSlotJob job{&from, 0, slot, turn_.way};
  if (!turn_.timed) return job(0, from.size());
  const auto begun = StoreChoice::Clock::now();
  job(0, from.size());
  StoreChoice::Clock::duration time = StoreChoice::Clock::now() - begun;
  if (turn_.way == Stores::streaming) time += besides_streaming(from.size());
  choice_->learn(turn_, from.size(), time);
}

void flat_reduce(const Reduction& reduction, const Stream& from, const Stream* to, int ranks) {
  Flat flat(reduction.operation, reduction.member, reduction.shadow);
  show(flat, from);
  flat.tell_others();
  if (ranks != 0) store(reduction, {reduction, flat, from, *to}, ranks, 0, *to);
  flat.finish();
}

void flat_reduce_all(const Reduction& reduction, const Stream& from, const Stream& to, std::size_t first) {
  Flat flat(reduction.operation, reduction.member, reduction.shadow);
  show(flat, from);
  flat.see_all();
  store(reduction, {reduction, flat, from, to}, reduction.shadow.size(), first * reduction.reducer.element(),
        to);
  flat.finish();
}

void flat_bcast(team::Member& member, const Shadow& shadow, const Stream& stream, int root) {
  Flat flat("MPI_Bcast", member, shadow);
  if (shadow.rank() == root) {
    show(flat, stream);
    flat.tell_others();
  } else {
    stream.unpack(0, stream.size(), flat.see(root, stream.size()));
  }
  flat.finish();
}

void flat_barrier(team::Member& member, const Shadow& shadow) {
  Flat flat("MPI_Barrier", member, shadow);
  flat.show(0, [](const auto&) {});
  flat.see_all();
  flat.finish();
}

} // namespace helper::collective
