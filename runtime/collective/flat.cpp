// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/flat.hpp"

#include <array>
#include <cstring>

#include "pipeline/store_choice.hpp"

namespace helper::collective {

using pipeline::StoreChoice;
using pipeline::Stores;
using pipeline::Stream;
using transport::Shadow;

namespace {

/// How a rank writes to its slot in an operation in which every rank reads all of them. Below some kilobytes
/// that hardly matters.
class SlotStores {
public:
  explicit SlotStores(const Stream& from) : bytes_(from.size()) {
    if (bytes_ < least) return;
    choice_ = &choices.of(bytes_, from.is_dense());
    turn_ = choice_->choose();
  }

  Stores stores() const noexcept { return turn_.stores; }

  /// Does a part of the writing and reading, without waits, which say nothing of stores.
  template <class Work>
  void time(const Work& work) {
    if (!turn_.timed) return work();
    const auto begun = StoreChoice::Clock::now();
    work();
    time_ += StoreChoice::Clock::now() - begun;
  }

  /// All parts are done.
  void learn() {
    if (turn_.timed) choice_->learn(turn_.stores, bytes_, time_);
  }

private:
  static constexpr std::size_t least = 2048;
  static inline constinit pipeline::StoreChoices choices;

  const std::size_t bytes_;
  StoreChoice* choice_ = nullptr;
  StoreChoice::Turn turn_{Stores::plain, false};
  StoreChoice::Clock::duration time_{};
};

/// Combines what the first `ranks` ranks show, in their order: `bytes` bytes from byte `begin` on, into
/// `out`.
void combine(const Reduction& reduction, Flat& flat, int ranks, std::size_t shown, std::size_t begin,
             std::size_t bytes, std::byte* out) {
  const std::byte* lower = flat.see(0, shown) + begin;
  if (ranks == 1) std::memcpy(out, lower, bytes);
  for (int rank = 1; rank < ranks; ++rank) {
    const std::array operands{lower, flat.see(rank, shown) + begin};
    reduction.reducer.reduce(operands, 0, bytes / reduction.reducer.element(), out);
    lower = out;
  }
}

/// As combine(), as many bytes as fit into `to`.
void store(const Reduction& reduction, Flat& flat, int ranks, std::size_t shown, std::size_t begin,
           const Stream& to) {
  if (to.is_dense()) {
    combine(reduction, flat, ranks, shown, begin, to.size(), to.dense());
  } else {
    alignas(64) std::array<std::byte, transport::Frame::slot_bytes> result;
    combine(reduction, flat, ranks, shown, begin, to.size(), result.data());
    to.unpack(0, to.size(), result.data());
  }
}

void show(Flat& flat, const Stream& from, Stores stores = Stores::plain) {
  flat.show(from.size(), [&](std::byte* slot) {
    pipeline::PackToSlotJob{&from, 0, slot, stores}(0, from.size());
  });
}

} // namespace

void flat_reduce(const Reduction& reduction, const Stream& from, const Stream* to, int ranks) {
  Flat flat(reduction.operation, reduction.member, reduction.shadow);
  show(flat, from);
  flat.tell_others();
  if (ranks != 0) store(reduction, flat, ranks, from.size(), 0, *to);
  flat.finish();
}

void flat_reduce_all(const Reduction& reduction, const Stream& from, const Stream& to, std::size_t first) {
  SlotStores slot_stores(from);
  Flat flat(reduction.operation, reduction.member, reduction.shadow);
  slot_stores.time([&] { show(flat, from, slot_stores.stores()); });
  flat.see_all();
  slot_stores.time([&] {
    store(reduction, flat, reduction.shadow.size(), from.size(), first * reduction.reducer.element(), to);
  });
  slot_stores.learn();
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
  flat.show(0, [](std::byte*) {});
  flat.see_all();
  flat.finish();
}

} // namespace helper::collective
