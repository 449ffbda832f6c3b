// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collective/reduction.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/store_choice.hpp"
#include "pipeline/stream.hpp"
#include "team/team.hpp"
#include "transport/mpi_error.hpp"
#include "transport/shadow.hpp"
#include "transport/window.hpp"

namespace helper::collective {

/// One operation on little data among ranks that have a window: each shows its contribution in its own frame,
/// and reads those that it needs in the others'. For the primary alone. What waits lends the caller and
/// throws PeerGaveUp; after that the window is not used again, since the shadow is given up.
///
/// A frame's two slots serve operations in turn. So a rank may show something for operation n once all have
/// finished n - 2. It need not look where all have shown something for n - 1: they had finished n - 2 then.
///
/// Model: tests/models/slots.pml.
class ShmLinear {
public:
  ShmLinear(const char* operation, team::Member& member, const transport::Shadow& shadow)
      : operation_(operation), member_(member), shadow_(shadow), window_(*shadow.window()),
        number_(window_.begin()) {
    if (number_ % operations_between_checks == 0) shadow_.failure().check_peers();
  }

  /// Has `fill(place)` write the own contribution of `bytes` bytes to where `place(in_room)` says, called
  /// once if at all, in a Room or always in the same place, and shows it. Who may sleep waiting for it is to
  /// be told: see tell_others() and see_all().
  template <class Fill>
  void show(std::size_t bytes, const Fill& fill) {
    await([this] { return window_.all_finished(number_ - slots); });
    transport::Frame::Slot& slot = window_.own().slots[number_ % slots];
    fill([&](bool in_room) { return window_.place(number_, bytes, in_room); });
    slot.value.store(number_ << size_bits | bytes, std::memory_order_release); // pairs with shows()
  }

  /// Wakes the other ranks that sleep waiting for what this one shows.
  void tell_others() const {
    wake([this](std::uint64_t finished) { return finished < number_; });
  }

  /// What a rank shows, `bytes` bytes in total as it should be; waits for it.
  const std::byte* see(int rank, std::size_t bytes) {
    const transport::Frame::Slot& slot = slot_of(rank);
    await([&] { return shows(slot); });
    if (slot.value.load(std::memory_order_relaxed) != (number_ << size_bits | bytes)) {
      sizes_differ_ = true;
      return window_.own().slots[number_ % slots].much.data(); // as many bytes as are expected, at least
    }
    const std::byte* const shown = window_.shown(rank, number_, bytes);
    if (shown == nullptr) throw transport::MpiError(shadow_.user(), MPI_ERR_INTERN);
    return shown;
  }

  /// Waits until all ranks show something, where every rank does so. Then it wakes the others: not each rank
  /// those that wait for all, again and again in vain, but who finds all there. One rank does so at least
  /// without being woken, for of those that are about to sleep the last to say so looks once more when all
  /// have shown theirs.
  void see_all() {
    int seen = 0;
    await([&] {
      while (seen < window_.ranks() && shows(slot_of(seen))) ++seen;
      return seen == window_.ranks();
    });
    window_.note_finished(number_ - 1);
    tell_others();
    // The slot of the next operation, which others have read.
    __builtin_prefetch(&window_.own().slots[(number_ + 1) % slots], 1);
  }

  /// Ends the operation: this rank reads nothing more. Throws Truncated if what it has seen was of other
  /// sizes than its own arguments say.
  void finish() {
    window_.finish(number_);
    wake([this](std::uint64_t finished) { return finished > number_; }); // who is so far may wait for that
    if (sizes_differ_) throw transport::Truncated(shadow_.user());
  }

private:
  static constexpr std::uint64_t slots = 2;
  static constexpr int size_bits = transport::Frame::Slot::size_bits;
  /// Now and then MPI makes progress even if nobody ever has to wait: a message that is under way may need
  /// it.
  static constexpr std::uint64_t operations_between_checks = 64;
  /// Polls at once, before the team is asked whether it has work or others are let run: as a rule the others
  /// are here in less than a microsecond, unless they wait for the processing unit.
  static constexpr int polls_at_once = 32;

  const transport::Frame::Slot& slot_of(int rank) const { return window_.of(rank).slots[number_ % slots]; }
  bool shows(const transport::Frame::Slot& slot) const {
    return slot.value.load(std::memory_order_acquire) >> size_bits == number_; // pairs with show()
  }

  /// Wakes the other ranks that sleep, if the last operation that they have finished says that they wait for
  /// this rank. Others would only have to go to sleep once more, and many are ahead of one that comes late.
  template <class Concerns>
  void wake(const Concerns& concerns) const {
    for (int rank = 0; rank < window_.ranks(); ++rank) {
      if (rank != shadow_.rank() && shadow_.may_sleep(rank) &&
          concerns(window_.of(rank).finished.load(std::memory_order_relaxed))) // may_sleep() orders it
        shadow_.ring(rank);
    }
  }

  template <class Done>
  void await(const Done& done) {
    const int polls = shadow_.takes_turns() ? 1 : polls_at_once;
    for (int poll = 0; poll < polls; ++poll) {
      if (done()) return;
      team::spin_pause();
    }
    wait_for(done);
  }
  template <class Done>
  [[gnu::noinline]] void wait_for(const Done& done) {
    pipeline::wait_until(done, operation_, member_, shadow_, team::Woken::by_its_bell);
  }

  const char* const operation_;
  team::Member& member_;
  const transport::Shadow& shadow_;
  transport::Window& window_;
  const std::uint64_t number_;
  bool sizes_differ_ = false;
};

/// Writes what a rank shows, whole or part by part, by the stores that are the faster ones as far as is
/// known.
class Writer {
public:
  /// Of so many bytes each, of dense streams or others.
  Writer(std::size_t bytes, bool is_dense) noexcept;

  /// Whether to a Room, where plain stores take less time. What they take in the same place as always is what
  /// is learned, since that tells how far the readers are; in a room it would be them who pay for that.
  bool in_room() const noexcept { return turn_.way == pipeline::Stores::plain && !turn_.timed; }

  void pack(const pipeline::Stream& from, std::byte* slot) const noexcept;

private:
  pipeline::StoreChoice* choice_ = nullptr; // of little data there is none
  pipeline::StoreChoice::Turn turn_{pipeline::Stores::plain, false, false, false};
};

/// Shows the contribution, all of `from`, and stores in `to` what those of the first `ranks` ranks come to.
/// Nothing is stored of no ranks, nor looked at.
void reduce_shm_linear(const Reduction& reduction, const pipeline::Stream& from, const pipeline::Stream* to,
                       int ranks);

/// The same of all ranks, at all ranks: of the elements from `first` on, as many as fit into `to`.
void allreduce_shm_linear(const Reduction& reduction, const pipeline::Stream& from,
                          const pipeline::Stream& to, std::size_t first = 0);

void bcast_shm_linear(team::Member& member, const transport::Shadow& shadow, const pipeline::Stream& stream,
                      int root);

void barrier_shm_linear(team::Member& member, const transport::Shadow& shadow);

} // namespace helper::collective
