// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "team/thread_state.hpp"
#include "trace/track.hpp"

namespace helper::team {

/// A job is one parallel piece of a communication: `run` over [0, size), in chunks of `grain` that any member
/// may execute; a job of more than 256 chunks is cut into those of a multiple of it. `run` must not throw and
/// must not call MPI; `context` must live until the job is finished. A timeline calls it `stage`.
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
/// Each slot has a bit for each chunk of its job that has not been claimed. Whoever clears the bit has
/// claimed the chunk. As long as a claimed chunk has not been counted in `done`, the owner does not refill
/// the slot, so a thread that has claimed may read the job. A claim may be late, and hit a chunk of a job
/// that has been published since: it is one like any other, since the job is read only after the claim.
///
/// A job runs in the state of the thread that published it. When the owner retires the job, it raises the
/// floating-point exceptions of all chunks, as if it had run them itself.
///
/// A job has as many parts as members can work at once. Each member begins with one, the owner with the
/// first, and when it is through helps with the ends of the others. So members seldom want the same chunk,
/// and in jobs that follow one another on the same data a member mostly has what is in its caches.
///
/// The models are tests/models/work_list.pml and claims.pml.
class WorkList {
public:
  /// A ticket names a job to its owner. `none` is a job that is finished already.
  using Ticket = int;
  static constexpr Ticket none = -1;

  /// Makes the list of the member whose index is `owner`.
  explicit WorkList(int owner) noexcept : owner_(owner) {}

  /// Offers the job, part of the MPI function `operation`, to all members, of whom `at_work` can work at
  /// once. Only the owner calls it. Returns `none`, having done nothing, when every slot is taken or the job
  /// is empty.
  Ticket publish(const Job& job, const char* operation, int at_work) noexcept;

  /// Returns true once all chunks have run; what they wrote is then visible. Only the owner calls it.
  bool has_run(Ticket ticket) const noexcept;

  /// Does the same, and then the ticket is spent, and the owner has raised what exceptions the chunks have.
  bool retire(Ticket ticket) noexcept;

  /// Returns a job that has not been retired, or `none`. Only the owner calls it.
  Ticket outstanding() const noexcept {
    const std::uint32_t taken = taken_.load(std::memory_order_relaxed);
    return taken == 0 ? none : std::countr_zero(taken);
  }

  /// Claims one chunk of this job and runs it; false if there was none. Only the owner calls it; `track` is
  /// its own.
  bool work(Ticket ticket, trace::Track* track) noexcept;

  /// Does the same with a chunk of any job, for the member whose index and track they are: the owner or
  /// another. Any thread may call it.
  bool help(int member, trace::Track* track) noexcept;

private:
  static constexpr int slots = 32;
  static constexpr std::uint32_t bits_of_word = 64;
  static constexpr std::uint32_t words = 4;
  static constexpr std::uint32_t most_chunks = words * bits_of_word;

  /// Those who claim, who count and who read the job are kept from one another's lines.
  struct JobSlot {
    // Bit i of all: chunk i of the job has not been claimed. The owner sets them once all chunks of the
    // last filling are done, by release; a claim, which acquires, so sees the job.
    alignas(64) std::array<std::atomic<std::uint64_t>, words> unclaimed{};
    // Of the present filling, and how many parts they are in. The owner alone writes them. A thread that
    // reads them late looks at other chunks than it should, but who has seen taken_ since reads them in time;
    // so their order is relaxed.
    std::atomic<std::uint32_t> chunks{0};
    std::atomic<std::uint32_t> parts{1};
    // Counts the chunks of the present filling that have run. It is never more than have been claimed.
    alignas(64) std::atomic<std::uint32_t> done{0};
    // The exceptions that chunks of the present filling have raised. A thread adds to them before it counts
    // its chunk in done, whose order the owner relies on; so they are relaxed.
    std::atomic<Exceptions> raised{0};
    // The owner writes them while done equals the chunks of the last filling; threads that hold a claim read
    // them.
    alignas(64) Job job{};
    const char* operation = nullptr;
    ThreadState state = ThreadState::own();
  };

  static constexpr std::uint32_t no_chunk = most_chunks;
  /// Claims a chunk of those in [begin, end), the first or the last of them; no_chunk if there is none.
  static std::uint32_t claim_first(JobSlot& slot, std::uint32_t begin, std::uint32_t end) noexcept;
  static std::uint32_t claim_last(JobSlot& slot, std::uint32_t begin, std::uint32_t end) noexcept;
  /// The part that the member begins with; `parts` if it has none, and others' ends are all there is for it.
  std::uint32_t part_of(int member, std::uint32_t parts) const noexcept;
  std::uint32_t claim(JobSlot& slot, int member) const noexcept;
  bool claim_and_run(int slot, int member, trace::Track* track) noexcept;
  void run(JobSlot& slot, std::uint32_t chunk, trace::Track* track) const noexcept;

  const int owner_;
  // Bit i says that slot i holds a job that has not been retired: others look there only. The owner alone
  // writes it, and sets a bit, sequentially consistently, after there is something to claim: a thread that
  // sees neither sees a later ring of the doorbell.
  std::atomic<std::uint32_t> taken_{0};
  std::array<JobSlot, slots> slots_;
};

} // namespace helper::team
