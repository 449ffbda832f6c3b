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

/// One parallel piece of a communication: `run` over [0, size), in chunks of `grain`, which any member may
/// run. If there would be more than 256 chunks, their size is a multiple of `grain`. `run` must not throw and
/// must not call MPI. `context` must live until the job is finished. `stage` is its name in a timeline.
struct Job {
  void (*run)(void* context, std::size_t begin, std::size_t end) noexcept;
  void* context;
  std::size_t size;
  std::size_t grain;
  trace::Stage stage = trace::Stage::work;

  /// Returns a job that calls `work(begin, end)`, noexcept. `work` must live until the job is finished.
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

/// A member's jobs in flight. The owner publishes and retires them; every member of the team, including the
/// owner, runs chunks.
///
/// Each slot has a bit for each chunk of its job that has not been claimed. The thread that clears the bit
/// has claimed the chunk. The owner refills the slot only when all claimed chunks have been counted in
/// `done`, so a thread with a claim may read the job. A slow thread may claim a chunk of a newer job in the
/// slot. That claim is valid for the newer job, since a thread reads the job only after the claim.
///
/// A job runs in the state of the thread that published it. When the owner retires the job, it raises the
/// floating-point exceptions of all chunks, as if it had run them itself.
///
/// A job has as many parts as members can work at once. Each member begins with the part that has its index,
/// whoever owns the job. So in consecutive jobs on the same data a member mostly gets the data that are in
/// its caches. Then it takes chunks from the ends of other parts, so members seldom want the same chunk.
///
/// The models are tests/models/work_list.pml and claims.pml.
class WorkList {
public:
  /// The owner's name for a job. `none` is a job that is finished already.
  using Ticket = int;
  static constexpr Ticket none = -1;

  /// Makes the list of the member whose index is `owner`.
  explicit WorkList(int owner) noexcept : owner_(owner) {}

  /// Offers the job, part of the MPI function `operation`, to all members, of which `at_work` can work at
  /// once. Returns `none`, having done nothing, if all slots are taken or the job is empty. Only the owner
  /// calls it.
  Ticket publish(const Job& job, const char* operation, int at_work) noexcept;

  /// Returns true once all chunks have run; what they wrote is then visible. Only the owner calls it.
  bool has_run(Ticket ticket) const noexcept;

  /// Like has_run(). If true, the ticket is now invalid, and the owner has raised the chunks' exceptions.
  bool retire(Ticket ticket) noexcept;

  /// Returns a job that has not been retired, or `none`. Only the owner calls it.
  Ticket outstanding() const noexcept {
    const std::uint32_t taken = taken_.load(std::memory_order_relaxed);
    return taken == 0 ? none : std::countr_zero(taken);
  }

  /// Claims one chunk of the job of `ticket` and runs it. Returns false if there was none. `track` is the
  /// owner's. Only the owner calls it.
  bool work(Ticket ticket, trace::Track* track) noexcept;

  /// Like work(), but takes a chunk of any job of the list. `member` and `track` are the calling member's; it
  /// need not be the owner. Any thread may call it.
  bool help(int member, trace::Track* track) noexcept;

private:
  static constexpr int slots = 32;
  static constexpr std::uint32_t bits_of_word = 64;
  static constexpr std::uint32_t words = 4;
  static constexpr std::uint32_t most_chunks = words * bits_of_word;

  /// Claim bits, completion count and job description are on separate cache lines, because different threads
  /// write them.
  struct JobSlot {
    // Bit i of all words: chunk i of the job is unclaimed. The owner sets the bits with release, after all
    // chunks of the slot's previous job are done. A thread claims with acquire, and so sees the job.
    alignas(64) std::array<std::atomic<std::uint64_t>, words> unclaimed{};
    // How many chunks the slot's job has, and in how many parts. Only the owner writes them. A thread that
    // reads old values tries wrong chunks, which does no harm. Relaxed suffices, since a thread that has seen
    // the owner's next store to taken_ reads the new values.
    std::atomic<std::uint32_t> chunks{0};
    std::atomic<std::uint32_t> parts{1};
    // The number of chunks of the slot's job that have run. Never more than have been claimed.
    alignas(64) std::atomic<std::uint32_t> done{0};
    // The exceptions raised by chunks of the slot's job. A thread adds to them before it counts its chunk in
    // done. That orders them for the owner, so relaxed suffices.
    std::atomic<Exceptions> raised{0};
    // The owner writes them while done equals the number of chunks of the previous job; threads with a claim
    // read them.
    alignas(64) Job job{};
    const char* operation = nullptr;
    ThreadState state = ThreadState::own();
  };

  static constexpr std::uint32_t no_chunk = most_chunks;
  /// Claims the first or the last unclaimed chunk in [begin, end); no_chunk if there is none.
  static std::uint32_t claim_first(JobSlot& slot, std::uint32_t begin, std::uint32_t end) noexcept;
  static std::uint32_t claim_last(JobSlot& slot, std::uint32_t begin, std::uint32_t end) noexcept;
  /// Returns the part with which the member begins; `parts` if only the owner has a part. No other member
  /// begins with the owner's part, even if there are more members than parts.
  std::uint32_t part_of(int member, std::uint32_t parts) const noexcept;
  std::uint32_t claim(JobSlot& slot, int member) const noexcept;
  bool claim_and_run(int slot, int member, trace::Track* track) noexcept;
  void run(JobSlot& slot, std::uint32_t chunk, trace::Track* track) const noexcept;

  const int owner_;
  // Bit i: slot i holds a job that has not been retired. Other members look only into such slots. Only the
  // owner writes the bits. It sets a bit sequentially consistently, after chunks can be claimed. A member
  // that misses the bit sees the later ring of the doorbell.
  std::atomic<std::uint32_t> taken_{0};
  std::array<JobSlot, slots> slots_;
};

} // namespace helper::team
