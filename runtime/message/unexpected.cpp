// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/unexpected.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>

#include "lifetime/at_end.hpp"
#include "lifetime/never_destroyed.hpp"
#include "message/deferred_sends.hpp"
#include "message/peers.hpp"
#include "message/shm_stream.hpp"
#include "message/wait.hpp"
#include "native/attribute.hpp"
#include "native/large_counts.hpp"
#include "ranks/mpi_error.hpp"
#include "ranks/thread_level.hpp"
#include "ranks/world.hpp"
#include "team/detours.hpp"

namespace helper::message::unexpected {

namespace {

namespace world = ranks::world;

constinit std::mutex mutex; // guards queue()

constexpr auto& queue = lifetime::sole<Queue>;

// The number of messages in the queue. Relaxed: a thread that asks has synchronised with the thread that
// added the messages that concern it.
std::atomic<std::size_t> count{0};

void recount() {
  const std::size_t before = count.exchange(queue().size(), std::memory_order_relaxed);
  if (before == 0 && any()) team::detours::add();
  if (before != 0 && !any()) team::detours::remove();
}

/// Returns whether a message with this status may be an RTS. Messages that cannot be one remain in MPI.
bool may_be_rts(const MPI_Status& status, MPI_Comm comm) {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  if (!Rts::may_have(bytes)) return false;
  const int sender = world::rank(comm, status.MPI_SOURCE);
  return sender != MPI_UNDEFINED && shm_stream::may_come(sender);
}

void require(int code, MPI_Comm comm) {
  if (code != MPI_SUCCESS) throw ranks::MpiError(comm, code);
}

/// An attribute of a communicator. MPI destroys it when the communicator is freed: queued messages then drop
/// the handle, which may be reused. Only those that a probe has matched can still be received.
struct Watch {
  MPI_Comm comm = MPI_COMM_NULL;

  ~Watch() {
    if (comm == MPI_COMM_NULL) return;
    const std::lock_guard lock(mutex);
    for (UnexpectedMessage& each : queue())
      if (each.comm == comm) each.comm = each.is_matched ? MPI_COMM_WORLD : MPI_COMM_NULL;
  }
};

constinit native::Attribute<Watch> watched;

/// Attaches a Watch to the communicator. The caller holds the mutex. So the Watch gets the communicator last:
/// a Watch that MPI refuses must not lock the mutex.
void watch(MPI_Comm comm) {
  Watch* found = nullptr;
  require(watched.get(comm, found), MPI_COMM_NULL); // MPI has reported the error
  if (found != nullptr) return;
  auto made = std::make_unique<Watch>();
  found = made.get();
  require(watched.set(comm, made), MPI_COMM_NULL);
  found->comm = comm;
}

/// Receives a possible RTS, and finds the true size of the message.
void receive(UnexpectedMessage& one) {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&one.status, MPI_BYTE, &bytes);
  const int sender = world::rank(one.comm, one.status.MPI_SOURCE);
  shm_stream::hesitate(sender, true);
  const lifetime::AtEnd decided([sender]() noexcept { shm_stream::hesitate(sender, false); });
  const int code = reported_to(one.comm, [&] {
    return Code{PMPI_Mrecv_c(one.payload.data(), bytes, MPI_BYTE, &one.message, MPI_STATUS_IGNORE)};
  });
  require(code, MPI_COMM_NULL);
  one.payload_bytes = static_cast<std::size_t>(bytes);
  Rts rts;
  std::memcpy(&rts, one.payload.data(), sizeof rts);
  if (rts.magic != Rts::drawn) return;
  one.rts = rts;
  PMPI_Status_set_elements_x(&one.status, MPI_BYTE, static_cast<MPI_Count>(rts.bytes));
  shm_stream::count_received(rts.sender);
  shm_stream::hold(rts.sender, rts.route);
}

/// Sends a message that receive() has received to this process itself, and matches it there.
void resend(UnexpectedMessage& one) {
  const int self = world::own_rank();
  if (!one.resent_as) {
    const int tag = tags::draw();
    require(deferred::send(std::span(one.payload).first(one.payload_bytes), self, tag), one.comm);
    one.resent_as = tag;
  }
  for (int found = 0; found == 0;) {
    const int code =
        PMPI_Improbe(self, *one.resent_as, world::comm(), &found, &one.message, MPI_STATUS_IGNORE);
    require(code, one.comm);
  }
}

/// Returns the first matching message that no probe holds, or the end of the queue. Ensures that the message
/// has its true status and an MPI handle by which it can be received. The caller holds the mutex.
Queue::iterator find(int source, int tag, MPI_Comm comm) {
  const auto found = std::ranges::find_if(queue(), [&](const UnexpectedMessage& each) {
    const MPI_Status& status = each.status;
    return each.comm == comm && !each.is_matched &&
           (source == MPI_ANY_SOURCE || source == status.MPI_SOURCE) &&
           (tag == MPI_ANY_TAG || tag == status.MPI_TAG);
  });
  if (found == queue().end()) return found;
  if (!found->is_taken() && may_be_rts(found->status, comm)) receive(*found);
  if (found->message == MPI_MESSAGE_NULL) resend(*found);
  return found;
}

/// Moves messages of `source`, up to one with `tag`, from MPI to the queue. The caller holds the mutex.
int take(int source, int tag, MPI_Comm comm) {
  watch(comm);
  for (;;) {
    int found = 0;
    Queue made(1); // allocates before MPI gives the message away
    UnexpectedMessage& one = made.front();
    one.comm = comm;
    const int code = PMPI_Improbe(source, MPI_ANY_TAG, comm, &found, &one.message, &one.status);
    if (code != MPI_SUCCESS || found == 0) return code; // or another thread was faster
    queue().splice(queue().end(), made);
    recount();
    if (one.status.MPI_TAG == tag) return MPI_SUCCESS;
  }
}

} // namespace

bool any() noexcept {
  return count.load(std::memory_order_relaxed) != 0;
}

std::unique_lock<std::mutex> lock() {
  return ranks::thread_level() == MPI_THREAD_MULTIPLE ? std::unique_lock(mutex)
                                                      : std::unique_lock<std::mutex>();
}

std::optional<Queue::iterator> first(int source, int tag, MPI_Comm comm) {
  if (!any()) return std::nullopt;
  const Queue::iterator found = find(source, tag, comm);
  return found == queue().end() ? std::nullopt : std::optional(found);
}

std::optional<Queue::iterator> matched(MPI_Message message) noexcept {
  if (!any()) return std::nullopt;
  const Queue::iterator found = std::ranges::find_if(
      queue(), [&](const UnexpectedMessage& each) { return each.is_matched && each.message == message; });
  return found == queue().end() ? std::nullopt : std::optional(found);
}

void forget(Queue::iterator message) noexcept {
  if (const auto& rts = message->rts) {
    shm_stream::uncount_received(rts->sender); // it will be received again
    shm_stream::release(rts->sender, rts->route);
  }
  queue().erase(message);
  recount();
}

// The thread does not hold the mutex while it polls MPI: other threads would have to wait.
int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  if (!peers::announce()) return PMPI_Iprobe(source, tag, comm, flag, status);
  peers::be_ready(0);
  for (;;) {
    if (any()) {
      const std::lock_guard lock(mutex);
      if (const Queue::iterator found = find(source, tag, comm); found != queue().end()) {
        *flag = 1;
        give(status, found->status);
        return MPI_SUCCESS;
      }
    }
    MPI_Status seen{};
    int code = PMPI_Iprobe(source, tag, comm, flag, &seen);
    if (code != MPI_SUCCESS || *flag <= 0) return code;
    if (!may_be_rts(seen, comm)) {
      give(status, seen);
      return code;
    }
    const std::lock_guard lock(mutex);
    code = take(seen.MPI_SOURCE, seen.MPI_TAG, comm);
    if (code != MPI_SUCCESS) return code;
  }
}

int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  if (!peers::announce()) return PMPI_Improbe(source, tag, comm, flag, message, status);
  peers::be_ready(0);
  const std::lock_guard lock(mutex);
  for (;;) {
    if (const Queue::iterator found = find(source, tag, comm); found != queue().end()) {
      *flag = 1;
      *message = found->message;
      give(status, found->status);
      found->is_matched = true;
      if (!found->is_taken()) forget(found); // the user's MPI_Message is enough to receive it
      return MPI_SUCCESS;
    }
    MPI_Status seen{};
    int code = PMPI_Iprobe(source, tag, comm, flag, &seen);
    if (code != MPI_SUCCESS || *flag <= 0) return code;
    if (!may_be_rts(seen, comm))
      return PMPI_Improbe(seen.MPI_SOURCE, seen.MPI_TAG, comm, flag, message, status);
    code = take(seen.MPI_SOURCE, seen.MPI_TAG, comm);
    if (code != MPI_SUCCESS) return code;
  }
}

} // namespace helper::message::unexpected
