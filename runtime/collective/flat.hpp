// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collective/moves.hpp"
#include "collective/reduction.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/stream.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"
#include "transport/window.hpp"

namespace helper::collective {

/// One operation on little data among ranks that have a window: each shows its contribution in its own frame,
/// and reads those that it needs in the others'. For the primary alone. What waits lends the caller and
/// throws PeerGaveUp; after that the window is not used again, since the shadow is given up.
///
/// A frame's two slots serve operations in turn. So a rank may show something for operation n once all have
/// finished n - 2. It need not look where all have shown something for n - 1: they had finished n - 2 then.
class Flat {
public:
  Flat(const char* operation, team::Member& member, const transport::Shadow& shadow)
      : operation_(operation), member_(member), shadow_(shadow), window_(*shadow.window()),
        number_(window_.begin()) {
    if (number_ % operations_between_checks == 0) shadow_.check_peers();
  }

  /// Has `fill(std::byte*)` write the own contribution of `bytes` bytes, and shows it.
  template <class Fill>
  void show(std::size_t bytes, const Fill& fill) {
    await([this] { return window_.all_finished(number_ - slots); });
    transport::Frame::Slot& slot = window_.own().slots[number_ % slots];
    fill(slot.data(bytes));
    slot.number.store(number_, std::memory_order_release); // pairs with see()
    ring();
  }

  /// What a rank shows, `bytes` bytes in total; waits for it.
  const std::byte* see(int rank, std::size_t bytes) {
    const transport::Frame::Slot& slot = window_.of(rank).slots[number_ % slots];
    await([&] { return slot.number.load(std::memory_order_acquire) == number_; });
    return slot.data(bytes);
  }

  /// Ends the operation: this rank reads nothing more.
  void finish() {
    window_.finish(number_);
    ring();
  }
  /// … having seen something of every rank.
  void finish_all_seen() {
    window_.note_finished(number_ - 1);
    finish();
  }

private:
  static constexpr std::uint64_t slots = 2;
  /// Now and then MPI makes progress even if nobody ever has to wait: a message that is under way may need
  /// it.
  static constexpr std::uint64_t operations_between_checks = 64;
  /// Between two polls lies, in a crowd, a nap of some milliseconds.
  static constexpr int polls_between_checks = 16;

  template <class Done>
  void await(const Done& done) {
    if (done()) return;
    wait_for(done);
  }
  template <class Done>
  [[gnu::noinline]] void wait_for(const Done& done) {
    int polls = 0;
    member_.lend_until(
        [&] {
          if (++polls % polls_between_checks == 0) shadow_.check_peers();
          return done();
        },
        [&] { return pipeline::describe(operation_, shadow_); }, team::Woken::by_its_bell);
  }

  void ring() const {
    for (int rank = 0; rank < window_.ranks(); ++rank) {
      if (rank != shadow_.rank()) shadow_.ring(rank);
    }
  }

  const char* const operation_;
  team::Member& member_;
  const transport::Shadow& shadow_;
  transport::Window& window_;
  const std::uint64_t number_;
};

/// Shows the contribution, all of `from`, and stores in `to` what those of the first `ranks` ranks come to:
/// of the elements from `first` on, as many as fit there. Nothing is stored of no ranks, nor looked at.
void flat_reduce(const Reduction& reduction, const pipeline::Stream& from, const pipeline::Stream* to,
                 int ranks, std::size_t first = 0);

void flat_bcast(team::Member& member, const transport::Shadow& shadow, const pipeline::Stream& stream,
                int root);

void flat_barrier(team::Member& member, const transport::Shadow& shadow);

} // namespace helper::collective
