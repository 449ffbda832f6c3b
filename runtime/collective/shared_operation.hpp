// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "pipeline/lane.hpp"
#include "pipeline/stores.hpp"
#include "ranks/mpi_error.hpp"
#include "shm/control.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// An operation without messages: ranks read one another's control blocks. Each rank shows one contribution
/// in its block, or its progress through several steps with flags. All ranks make such objects for the same
/// operations in the same order. Only the primary uses the object.
///
/// The models are tests/models/contributions.pml, flags.pml and control_blocks.pml.
class SharedOperation {
public:
  static constexpr std::uint64_t most_steps =
      (std::uint64_t{1} << shm::ControlBlock::StepFlag::step_bits) - 1;

  /// `name` is the operation's name in a stall report. Throws PeerGaveUp.
  SharedOperation(const char* name, team::Member& member, const transport::Shadow& shadow)
      : name_(name), member_(member), shadow_(shadow), control_(*shadow.control()),
        number_(control_.begin()) {
    if (number_ % operations_between_checks == 0) shadow_.failure().check_peers();
  }

  /// If finish(), leave() or end_of_contributions() has not ended the operation, gives it up. Then waits
  /// until every other rank has finished or given up the operation: nobody reads this rank's data any more.
  ~SharedOperation() {
    if (!finished_) give_up();
  }
  SharedOperation(const SharedOperation&) = delete;
  SharedOperation& operator=(const SharedOperation&) = delete;

  /// At times, measures whether the ranks share a cache, with up to `most` looks (shm/shared_cache.hpp),
  /// which take at most a microsecond. Call it when the ranks meet in an operation on `bytes` bytes.
  static constexpr int most_looks = 64;
  void look(std::size_t bytes, int most = most_looks) noexcept {
    if (is_time_to_look(bytes)) control_.look(most);
  }

  /// Returns whether the ranks share a cache, as far as known; on an oversubscribed node they do.
  bool shares_cache() const noexcept { return shadow_.is_oversubscribed() || control_.shares_cache(); }

  // Functions for one contribution of each rank. A control block has four contributions and two payloads,
  // which operations use cyclically. So large data for operation n may be written once all ranks have
  // finished n - 2, small data once they have finished n - 4. When all have shown data for n - 1 they have
  // finished n - 2.

  /// Calls `fill(place, stores)`, which writes this rank's `bytes` bytes to `place` with these stores, and
  /// shows them. Afterwards the caller must wake ranks that may sleep, with tell_others() or see_all().
  template <class Fill>
  void contribute(std::size_t bytes, const Fill& fill);

  /// Wakes the ranks that sleep and wait for what this rank shows.
  void tell_others() const noexcept;

  /// Waits for a rank's contribution, and returns it; `bytes` is its expected total size. Throws PeerGaveUp,
  /// and MpiError if what the rank shows is invalid.
  const std::byte* see(int rank, std::size_t bytes);

  /// If every rank contributes: waits for all contributions, then wakes ranks that sleep. Throws PeerGaveUp.
  void see_all();

  /// Ends the operation: this rank reads no more. Throws Truncated if a contribution had an unexpected size.
  void end_of_contributions();

  // Functions for operations of several steps.

  /// Returns the note of a flag. A rank writes its note before it first shows the flag. Then others read it.
  template <class Note>
  Note& note(std::size_t flag) noexcept {
    static_assert(sizeof(Note) <= sizeof(shm::ControlBlock::StepFlag::note));
    return *reinterpret_cast<Note*>(control_.own().flags[flag].note.data());
  }
  template <class Note>
  const Note& note(std::size_t rank, std::size_t flag) const noexcept {
    return *reinterpret_cast<const Note*>(block(rank).flags[flag].note.data());
  }

  /// Returns a rank's payload: payload_bytes bytes for data that are larger than a note. For this rank's
  /// payload, waits until all ranks have finished the operation before the previous one. Throws PeerGaveUp.
  static constexpr std::size_t payload_bytes = shm::ControlBlock::payload_bytes;
  template <class Item>
  Item* payload() {
    return reinterpret_cast<Item*>(own_payload());
  }
  template <class Item>
  const Item* payload(std::size_t rank) const noexcept {
    return reinterpret_cast<const Item*>(block(rank).payload(number_));
  }

  /// Shows the others that this rank has reached `step` of a flag, counted from 1, and wakes them.
  void show(std::size_t flag, std::uint64_t step) noexcept;

  /// Shows the step as show() does, but wakes nobody.
  void show_silently(std::size_t flag, std::uint64_t step) noexcept;

  void wake(std::size_t rank) const noexcept { shadow_.ring(static_cast<int>(rank)); }
  void wake_all() const noexcept;

  /// Returns the step of the flag that the rank has reached.
  std::uint64_t step(std::size_t rank, std::size_t flag) const noexcept;

  /// Waits until the rank has reached `step` of the flag, and runs chunks meanwhile. Throws PeerGaveUp.
  void await(std::size_t rank, std::size_t flag, std::uint64_t step) const;

  /// Makes the lane wait until the rank has reached `step`.
  void await(pipeline::Lane& lane, std::size_t rank, std::size_t flag, std::uint64_t step) const;

  /// Waits until all ranks have reached `step`, and runs chunks meanwhile. Throws PeerGaveUp.
  void await_all(std::size_t flag, std::uint64_t step);

  /// Waits for `done()`, and runs chunks. The rank that makes it true must wake this rank. Throws PeerGaveUp.
  template <class Done>
  void await(const Done& done) const;

  /// Waits until nobody reads anything of this rank any more. Throws PeerGaveUp.
  void finish();

  /// Like finish(), but waits only for `peers`. The other ranks may read only flags and payloads of this
  /// rank: flags only grow, and payloads remain until all ranks have finished. Throws PeerGaveUp.
  void finish(std::span<const std::size_t> peers);

  /// Ends the operation without waiting. Call it when others read only flags and payloads of this rank from
  /// now on. The last rank to leave wakes all.
  void leave() noexcept;

private:
  static constexpr int size_bits = shm::ControlBlock::Contribution::size_bits;
  /// After this many operations a rank that never waits polls MPI, which a message in flight may need.
  static constexpr std::uint64_t operations_between_checks = 64;
  /// Ranks look more often in operations on more bytes, since a look takes a smaller part of their time. They
  /// look in several operations in a row, since a rank that is ahead of others does not meet them each time.
  bool is_time_to_look(std::size_t bytes) const noexcept {
    if (bytes < pipeline::least_streamed || shadow_.is_oversubscribed()) return false;
    constexpr std::size_t running = 4;
    constexpr std::size_t most_between = 512;
    const std::size_t between = std::clamp((std::size_t{4} << 20) / bytes, running, most_between);
    return number_ % between < running || control_.must_look();
  }

  const shm::ControlBlock& block(std::size_t rank) const noexcept {
    return control_.of(static_cast<int>(rank));
  }
  bool shows(int rank) const noexcept {
    return control_.of(rank).contribution(number_).value.load(std::memory_order_acquire) >> size_bits ==
           number_; // pairs with contribute()
  }
  template <class Done>
  void await_contribution(const Done& done);
  template <class Done>
  [[gnu::noinline]] void wait(const Done& done, team::Woken woken) const {
    pipeline::wait_until(done, name_, member_, shadow_, woken);
  }
  template <class Concerns>
  void wake_if(const Concerns& concerns) const noexcept;
  std::uint64_t value(std::uint64_t step) const noexcept {
    return number_ << shm::ControlBlock::StepFlag::step_bits | step;
  }
  void give_up() noexcept;
  std::byte* own_payload();
  void say_finished() noexcept;

  const char* const name_;
  team::Member& member_;
  const transport::Shadow& shadow_;
  shm::CommControl& control_;
  const std::uint64_t number_;
  bool looks_ = false; // whether an operation of contributions calls look()
  bool finished_ = false;
  bool sizes_differ_ = false; // of contributions
};

template <class Fill>
void SharedOperation::contribute(std::size_t bytes, const Fill& fill) {
  await_contribution(
      [this, bytes] { return control_.all_finished(number_ - shm::CommControl::remain(bytes)); });
  looks_ = is_time_to_look(bytes);
  if (looks_) control_.look(1);
  const pipeline::Stores stores = pipeline::stores_of(bytes, shares_cache());
  shm::ControlBlock::Contribution& contribution = control_.own().contribution(number_);
  fill(control_.place(number_, bytes, stores == pipeline::Stores::plain), stores);
  contribution.value.store(number_ << size_bits | bytes, std::memory_order_release); // pairs with shows()
}

/// Other ranks' contributions usually arrive in less than a microsecond, unless these ranks wait for a core.
template <class Done>
void SharedOperation::await_contribution(const Done& done) {
  finished_ = true; // after an error as well, since the control blocks are not used again
  // Polls first, without asking the team for work or yielding the core.
  for (int polls = shadow_.is_oversubscribed() ? 1 : 32; polls != 0; --polls) {
    if (done()) return;
    team::spin_pause();
  }
  wait(done, team::Woken::by_its_bell);
}

template <class Done>
void SharedOperation::await(const Done& done) const {
  // Ranks on an oversubscribed node sleep until woken; others continue to poll MPI.
  wait(done, shadow_.is_oversubscribed() ? team::Woken::by_its_bell : team::Woken::perhaps);
}

/// Wakes each rank that sleeps, if `concerns` returns true for the last operation that the rank has finished:
/// it then waits for this rank. Other ranks would only go to sleep again; they are many if this rank is late.
template <class Concerns>
inline void SharedOperation::wake_if(const Concerns& concerns) const noexcept {
  for (int rank = 0; rank < control_.ranks(); ++rank) {
    if (rank != shadow_.rank() && shadow_.may_sleep(rank) &&
        concerns(control_.of(rank).finished.load(std::memory_order_relaxed))) // may_sleep() orders it
      shadow_.ring(rank);
  }
}

inline void SharedOperation::tell_others() const noexcept {
  wake_if([this](std::uint64_t finished) { return finished < number_; });
}

inline const std::byte* SharedOperation::see(int rank, std::size_t bytes) {
  await_contribution([&] { return shows(rank); });
  look(bytes, 1);
  const auto& contribution = control_.of(rank).contribution(number_);
  if (contribution.value.load(std::memory_order_relaxed) != (number_ << size_bits | bytes)) {
    sizes_differ_ = true;
    return control_.own().payload(number_); // at least as many bytes as expected
  }
  const std::byte* const shown = control_.shown(rank, number_, bytes);
  if (shown == nullptr) throw ranks::MpiError(shadow_.user(), MPI_ERR_INTERN);
  return shown;
}

// A rank wakes others when it has found all contributions, not when it shows its own. At least one rank finds
// them without being woken: the last that is about to sleep looks again when all ranks have shown theirs.
inline void SharedOperation::see_all() {
  int seen = 0;
  await_contribution([&] {
    while (seen < control_.ranks() && shows(seen)) ++seen;
    return seen == control_.ranks();
  });
  if (looks_) control_.look(most_looks);
  control_.note_finished(number_ - 1);
  tell_others();
  // Prefetches the contribution of the next operation, which other ranks have read.
  __builtin_prefetch(&control_.own().contribution(number_ + 1), 1);
}

inline void SharedOperation::end_of_contributions() {
  control_.finish(number_);
  finished_ = true;
  // A rank that is ahead may wait to overwrite what this rank has read.
  wake_if([this](std::uint64_t finished) { return finished > number_; });
  if (sizes_differ_) throw ranks::Truncated(shadow_.user());
}

} // namespace helper::collective
