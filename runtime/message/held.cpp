// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/held.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>

#include "lifetime/never_destroyed.hpp"
#include "message/leftovers.hpp"
#include "message/peers.hpp"
#include "message/tags.hpp"
#include "message/wait.hpp"
#include "native/attribute.hpp"
#include "native/large_counts.hpp"
#include "team/on_jump.hpp"
#include "transport/mpi_error.hpp"
#include "transport/thread_level.hpp"
#include "transport/world.hpp"

namespace helper::message::held {

namespace {

namespace world = transport::world;

/// Never destroyed: threads may communicate until the process ends.
struct Store {
  std::mutex mutex; // guards the rest
  std::list<Held> all;
};

Store& store() {
  static lifetime::NeverDestroyed<Store> instance;
  return *instance;
}

// How many there are. A thread that asks has synchronised with who holds what matters to it; relaxed.
std::atomic<std::size_t> count{0};

void recount(const Store& held) {
  count.store(held.all.size(), std::memory_order_relaxed);
}

} // namespace

bool any() noexcept {
  return count.load(std::memory_order_relaxed) != 0;
}

namespace {

bool may_be_announcement(const MPI_Status& status) {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return Announcement::may_have(bytes);
}

void require(int code, MPI_Comm comm) {
  if (code != MPI_SUCCESS) throw transport::MpiError(comm, code);
}

/// Destroyed when the communicator is freed, and its handle may come to name another. What waits there nobody
/// can receive any more; what a probe has matched still can be, and then names no communicator, as in MPI.
struct Watch {
  MPI_Comm comm = MPI_COMM_NULL;

  ~Watch() {
    if (comm == MPI_COMM_NULL) return;
    Store& held = store();
    const std::lock_guard lock(held.mutex);
    for (Held& each : held.all)
      if (each.comm == comm) each.comm = each.is_matched ? MPI_COMM_WORLD : MPI_COMM_NULL;
  }
};

constinit native::Attribute<Watch> watched;

/// Has MPI keep a Watch with the communicator. With the mutex, so one that is not kept is of none.
void watch(MPI_Comm comm) {
  Watch* found = nullptr;
  require(watched.get(comm, found), MPI_COMM_NULL); // which MPI has reported
  if (found != nullptr) return;
  auto made = std::make_unique<Watch>();
  found = made.get();
  require(watched.set(comm, made), MPI_COMM_NULL);
  found->comm = comm;
}

/// Takes what may be an announcement out of MPI, and learns its true size.
void receive(Held& held) {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&held.status, MPI_BYTE, &bytes);
  const int code = reported_to(held.comm, [&] {
    return Code{PMPI_Mrecv_c(held.payload.data(), bytes, MPI_BYTE, &held.message, MPI_STATUS_IGNORE)};
  });
  require(code, MPI_COMM_NULL);
  held.payload_bytes = static_cast<std::size_t>(bytes);
  Announcement announcement;
  std::memcpy(&announcement, held.payload.data(), sizeof announcement);
  if (announcement.magic == Announcement::the_magic())
    PMPI_Status_set_elements_x(&held.status, MPI_BYTE, static_cast<MPI_Count>(announcement.bytes));
}

/// Sends it to oneself and matches it there.
void resend(Held& held) {
  int self = 0;
  PMPI_Comm_rank(world::comm(), &self);
  if (!held.resent_as) {
    const int tag = tags::draw();
    require(leftovers::send(std::span(held.payload).first(held.payload_bytes), self, tag), held.comm);
    held.resent_as = tag;
  }
  for (int found = 0; found == 0;) {
    const int code =
        PMPI_Improbe(self, *held.resent_as, world::comm(), &found, &held.message, MPI_STATUS_IGNORE);
    require(code, held.comm);
  }
}

/// The first message that matches and that no probe has, with its true status, to be received by its handle;
/// the end if there is none. With the mutex.
Place find(Store& held, int source, int tag, MPI_Comm comm) {
  const auto found = std::ranges::find_if(held.all, [&](const Held& each) {
    const MPI_Status& status = each.status;
    return each.comm == comm && !each.is_matched &&
           (source == MPI_ANY_SOURCE || source == status.MPI_SOURCE) &&
           (tag == MPI_ANY_TAG || tag == status.MPI_TAG);
  });
  if (found == held.all.end()) return found;
  if (!found->is_taken() && may_be_announcement(found->status)) receive(*found);
  if (found->message == MPI_MESSAGE_NULL) resend(*found);
  return found;
}

/// Holds the messages of `source` up to the first with `tag`. Returns MPI's code. With the mutex.
int hold(Store& held, int source, int tag, MPI_Comm comm) {
  watch(comm);
  for (;;) {
    int found = 0;
    std::list<Held> made(1); // memory for it first
    Held& one = made.front();
    one.comm = comm;
    const int code = PMPI_Improbe(source, MPI_ANY_TAG, comm, &found, &one.message, &one.status);
    if (code != MPI_SUCCESS || found == 0) return code; // or another thread was faster
    held.all.splice(held.all.end(), made);
    recount(held);
    if (one.status.MPI_TAG == tag) return MPI_SUCCESS;
  }
}

} // namespace

std::unique_lock<std::mutex> steady() {
  return transport::thread_level() == MPI_THREAD_MULTIPLE ? std::unique_lock(store().mutex)
                                                          : std::unique_lock<std::mutex>();
}

std::optional<Place> first(int source, int tag, MPI_Comm comm) {
  if (!any()) return std::nullopt;
  const Place found = find(store(), source, tag, comm);
  return found == store().all.end() ? std::nullopt : std::optional(found);
}

std::optional<Place> matched(MPI_Message message) noexcept {
  if (!any()) return std::nullopt;
  const Place found = std::ranges::find_if(
      store().all, [&](const Held& each) { return each.is_matched && each.message == message; });
  return found == store().all.end() ? std::nullopt : std::optional(found);
}

void forget(Place held) noexcept {
  store().all.erase(held);
  recount(store());
}

// Asks MPI without the mutex, for which others might wait as long as this one polls.
int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  if (!peers::announce()) return PMPI_Iprobe(source, tag, comm, flag, status);
  peers::be_ready(0);
  Store& held = store();
  for (;;) {
    if (any()) {
      const team::JumpSafe<std::lock_guard<std::mutex>> lock(held.mutex);
      if (const Place found = find(held, source, tag, comm); found != held.all.end()) {
        *flag = 1;
        give(status, found->status);
        return MPI_SUCCESS;
      }
    }
    MPI_Status seen;
    int code = PMPI_Iprobe(source, tag, comm, flag, &seen);
    if (code != MPI_SUCCESS || *flag == 0) return code;
    if (!may_be_announcement(seen)) {
      give(status, seen);
      return code;
    }
    const team::JumpSafe<std::lock_guard<std::mutex>> lock(held.mutex);
    code = hold(held, seen.MPI_SOURCE, seen.MPI_TAG, comm);
    if (code != MPI_SUCCESS) return code;
  }
}

int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  if (!peers::announce()) return PMPI_Improbe(source, tag, comm, flag, message, status);
  peers::be_ready(0);
  Store& held = store();
  const team::JumpSafe<std::lock_guard<std::mutex>> lock(held.mutex);
  for (;;) {
    if (const Place found = find(held, source, tag, comm); found != held.all.end()) {
      *flag = 1;
      *message = found->message;
      give(status, found->status);
      found->is_matched = true;
      if (!found->is_taken()) forget(found); // it is the user's alone
      return MPI_SUCCESS;
    }
    MPI_Status seen;
    int code = PMPI_Iprobe(source, tag, comm, flag, &seen);
    if (code != MPI_SUCCESS || *flag == 0) return code;
    if (!may_be_announcement(seen))
      return PMPI_Improbe(seen.MPI_SOURCE, seen.MPI_TAG, comm, flag, message, status);
    code = hold(held, seen.MPI_SOURCE, seen.MPI_TAG, comm);
    if (code != MPI_SUCCESS) return code;
  }
}

} // namespace helper::message::held
