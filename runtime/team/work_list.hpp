// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "trace/track.hpp"

namespace helper::team {

/// A job is one parallel piece of a communication: `run` over [0, size), in chunks of `grain` that any member
/// may execute; a job of more than 65,535 chunks is cut more coarsely. `run` must not throw and must not call
/// MPI; `context` must live until the job is finished. A timeline calls it `stage`.
struct Job {
  void (*run)(void* context, std::size_t begin, std::size_t end) noexcept;
  void* context;
  std::size_t size;
  std::size_t grain;
  trace::Stage stage = trace::Stage::work;

  /// Returns the job of calling `work(begin, end)`, noexcept. `work` must live until the job is finished.
  template <class Work>
  static Job of(trace::Stage stage, std::size_t size, std::size_t grain, Work& work);
};

template <class Work>
Job Job::of(trace::Stage stage, std::size_t size, std::size_t grain, Work& work) {
  static_assert(noexcept(work(size, size)), "helpers cannot report exceptions");
  const auto call = [](void* its_work, std::size_t begin, std::size_t end) noexcept {
    (*static_cast<Work*>(its_work))(begin, end);
  };
  return {call, const_cast<std::remove_const_t<Work>*>(&work), size, grain, stage};
}

/// Holds a member's jobs in flight. The owner publishes and retires; every member of the team, the owner
/// included, works.
///
/// Each slot is ruled by one word, `claims` = epoch:32 | first:16 | end:16. Chunks [first, end) of the slot's
/// job have not been claimed. The owner claims the first of them, the others the last: so in jobs that follow
/// one another on the same data a member mostly has what is in its caches. A claim is a compare-and-swap; as
/// long as a claimed chunk has not been counted in `done`, the owner does not refill the slot, so a thread
/// that has claimed may read the job. The epoch counts the fillings, so a claim based on a word of an earlier
/// filling fails; were it to succeed, it would be one like any other, of the present job, which is read only
/// after the claim.
///
/// The model is tests/models/work_list.pml.
class WorkList {
public:
  /// A ticket names a job to its owner. `none` is a job that is finished already.
  using Ticket = int;
  static constexpr Ticket none = -1;

  /// Makes the list of the member whose index is `owner`.
  explicit WorkList(int owner) noexcept : owner_(owner) {}

  /// Offers the job, part of the MPI function `operation`, to all members. Only the owner calls it. Returns
  /// `none`, having done nothing, when every slot is taken or the job is empty.
  Ticket publish(const Job& job, const char* operation) noexcept;

  /// Returns true once all chunks have run; what they wrote is then visible, and the ticket is spent. Only
  /// the owner calls it.
  bool retire(Ticket ticket) noexcept;

  /// Returns a job that has not been retired, or `none`. Only the owner calls it.
  Ticket outstanding() const noexcept { return taken_ == 0 ? none : std::countr_zero(taken_); }

  /// Claims one chunk, of any job or of this one, and runs it; false if there was none. Only the owner calls
  /// them; `track` is its own.
  bool work(trace::Track* track) noexcept;
  bool work(Ticket ticket, trace::Track* track) noexcept;

  /// Does the same for another member, whose track it is. Any thread may call it.
  bool help(trace::Track* track) noexcept;

private:
  static constexpr int slots = 32;

  struct alignas(64) Slot {
    std::atomic<std::uint64_t> claims{0};
    // Counts the chunks of the present filling that have run. It is never more than have been claimed.
    std::atomic<std::uint32_t> done{0};
    // The owner writes it while done equals the chunks of the last filling; threads that hold a claim read
    // it.
    std::uint32_t chunks = 0;
    Job job{};
    const char* operation = nullptr;
  };

  enum class Claimant : std::uint8_t { owner, other };
  bool claim_and_run(Claimant claimant, trace::Track* track) noexcept;
  bool claim_and_run(int slot, Claimant claimant, trace::Track* track) noexcept;

  const int owner_;
  // Bit i says that slot i may have unclaimed chunks. The owner sets it before there are any to claim, the
  // thread that makes the last claim clears it before running it: it is set before cleared, and cleared
  // before the owner can refill.
  std::atomic<std::uint32_t> open_{0};
  std::uint32_t taken_ = 0; // Owner only. Bit i: slot i holds a job that has not been retired.
  static_assert(sizeof(Slot) == 64, "two members that work on two slots would share a line");
  std::array<Slot, slots> slots_;
};

} // namespace helper::team
