// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstdint>

#include "team/detours.hpp"
#include "team/pause.hpp"

/// Counts what MPI has under way in this process, so that waiting threads know whether to poll MPI. MPI makes
/// progress only while it is called, and operations through the memory of the node do not call it.
///
/// It counts requests that the program has started and not completed, persistent requests that it has not
/// freed, windows, files and attached buffers. Requests may be native or represent operations of the library.
///
/// Any thread may call all functions, but only threads in MPI may call poll() and catch_up().
namespace helper::shm::traffic {

namespace detail {

/// The number of requests in flight, and the number of objects that last until the program frees them, such
/// as windows and persistent requests. They are incremented before MPI is called and decremented after. So a
/// waiting thread counts the requests that it has started, and those of threads that it has synchronised
/// with. Relaxed: they order nothing, except as requests() documents. Hidden visibility saves an indirection.
[[gnu::visibility("hidden")]] inline constinit std::atomic<std::uint64_t> begun_requests{0};
[[gnu::visibility("hidden")]] inline constinit std::atomic<std::uint64_t> begun_lasting{0};

/// This process's count of its calls of MPI that send, in memory that the processes of the node share. A load
/// and a store advance the count, so simultaneous calls may lose some. The consequence is one look at MPI too
/// many or too few, until the next call. Relaxed: a thread that looks has synchronised with the sender. The
/// count grows before MPI is called, and again at the next meet(). So a thread that has seen it grow, but has
/// found nothing in MPI yet, looks again when it has synchronised.
[[gnu::visibility("hidden")]] extern std::atomic<std::uint64_t>* sent;

/// The value of `*sent` after the last meet(). Relaxed: simultaneous meetings may cause an unnecessary look.
inline constinit std::atomic<std::uint64_t> sent_at_last_meeting{0};

/// Bit 0: an operation has used the memory of the node since MPI last caught up with earlier sends. The other
/// bits: the number of threads in catch_up(). Until these return, MPI may not have seen all earlier sends.
/// Relaxed: a thread that asks MPI has synchronised with the threads of that operation.
inline constinit std::atomic<unsigned> behind{0};
inline constexpr unsigned is_behind = 1, catches_up = 2;

/// Adds to the number of requests, without a locked instruction where one thread at a time is in MPI.
inline void add_requests(std::uint64_t count) noexcept {
  if (team::detours::any())
    begun_requests.fetch_add(count, std::memory_order_seq_cst);
  else
    begun_requests.store(begun_requests.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
}

/// Does what call_for_progress() does, on an oversubscribed node.
void call_others() noexcept;

} // namespace detail

/// Shows others how often this process sends, from now on. Called at MPI_Init, after NodeState::make().
void start() noexcept;

/// Record that MPI is about to be called to start a request, to make an object that lasts, or to send.
inline void begin() noexcept {
  detail::add_requests(1);
}
inline void begin_lasting() noexcept {
  detail::begun_lasting.fetch_add(1, std::memory_order_relaxed);
}
inline void send() noexcept {
  std::atomic<std::uint64_t>& sent = *detail::sent;
  sent.store(sent.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Call it before an MPI call that may need other processes to poll MPI. On an oversubscribed node their
/// threads sleep while they wait; this wakes them.
inline void call_for_progress() noexcept {
  if (team::Oversubscription::by_processes()) [[unlikely]]
    detail::call_others();
}

/// Record that `count` requests have completed, or that an object that lasts was freed.
inline void end(std::uint64_t count) noexcept {
  if (count != 0) detail::add_requests(0 - count);
}
inline void end_lasting() noexcept {
  detail::begun_lasting.fetch_sub(1, std::memory_order_relaxed);
}

/// Resets the counts: nothing is in flight.
inline void forget() noexcept {
  detail::begun_requests.store(0, std::memory_order_relaxed);
  detail::begun_lasting.store(0, std::memory_order_relaxed);
}

/// Returns how many requests are under way, some of which may have finished. Sequentially consistent, like
/// begin() until threads can be in phases. One thread begins a request and then looks whether threads can be
/// in phases. Another lets threads be in phases and then counts requests. One sees the other's write.
inline std::uint64_t requests() noexcept {
  return detail::begun_requests.load(std::memory_order_seq_cst);
}

/// Returns whether anything is in flight, so that other processes may need this one to poll MPI.
inline bool under_way() noexcept {
  return (detail::begun_requests.load(std::memory_order_relaxed) |
          detail::begun_lasting.load(std::memory_order_relaxed)) != 0;
}

/// Lets MPI make progress on what is in flight.
void poll() noexcept;

/// Polls until MPI has seen all messages that processes of the node have sent, as far as this thread knows.
void catch_up() noexcept;

/// Call it before this process synchronises with others without MPI, so that they look for its earlier sends.
inline void meet() noexcept {
  const std::uint64_t sent = detail::sent->load(std::memory_order_relaxed);
  if (sent == detail::sent_at_last_meeting.load(std::memory_order_relaxed)) return;
  detail::sent->store(sent + 1, std::memory_order_relaxed);
  detail::sent_at_last_meeting.store(sent + 1, std::memory_order_relaxed);
}

/// Records that an operation has synchronised ranks without MPI, so MPI may not have seen earlier sends of
/// others. When a probe or test next finds nothing, MPI catches up. Polls MPI once if others may need that.
inline void went_past_mpi() noexcept {
  if ((detail::behind.load(std::memory_order_relaxed) & detail::is_behind) == 0)
    detail::behind.fetch_or(detail::is_behind, std::memory_order_relaxed);
  if (under_way()) [[unlikely]]
    poll();
}

/// Returns whether MPI may not have seen sends that preceded the last synchronisation.
inline bool is_behind() noexcept {
  return detail::behind.load(std::memory_order_relaxed) != 0;
}

} // namespace helper::shm::traffic
