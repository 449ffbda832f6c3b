// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/held.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>

#include "message/tags.hpp"
#include "message/thread_level.hpp"
#include "native/large_counts.hpp"
#include "transport/mpi_error.hpp"
#include "transport/world.hpp"

namespace helper::message {

Held::~Held() {
  if (resending == MPI_REQUEST_NULL) return;
  int over = 0;
  PMPI_Test(&resending, &over, MPI_STATUS_IGNORE);
  if (resending != MPI_REQUEST_NULL) PMPI_Request_free(&resending);
}

} // namespace helper::message

namespace helper::message::held {

namespace {

namespace world = transport::world;

/// Never destroyed: threads may communicate until the process ends.
struct Store {
  std::mutex mutex; // guards the rest, and that a message to oneself is matched by who sent it
  std::list<Held> waiting;
  std::list<Held> matched;
};

Store& store() {
  static auto* const instance = new Store;
  return *instance;
}

// How many there are, waiting and matched. A thread that asks has synchronised with who holds what matters to
// it; relaxed.
std::atomic<std::size_t> count{0};

void recount(const Store& all) {
  count.store(all.waiting.size() + all.matched.size(), std::memory_order_relaxed);
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

/// What fails here has lost the message of a call on `comm`.
void require(int code, MPI_Comm comm) {
  if (code != MPI_SUCCESS) throw transport::MpiError(comm, code);
}

/// The communicator `comm` is freed, and its handle may come to name another. What waits there nobody can
/// receive any more; what a probe has matched still can be, and then names no communicator, as in MPI.
int drop(MPI_Comm comm, int, void*, void*) {
  Store& all = store();
  const std::lock_guard lock(all.mutex);
  for (Held& held : all.waiting)
    if (held.comm == comm) held.comm = MPI_COMM_NULL;
  for (Held& held : all.matched)
    if (held.comm == comm) held.comm = MPI_COMM_WORLD;
  return MPI_SUCCESS;
}

/// Has drop() called when the communicator is freed.
void watch(MPI_Comm comm) {
  static const int keyval = [] {
    int made = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &made, nullptr);
    return made;
  }();
  void* value = nullptr;
  int is_watched = 0;
  PMPI_Comm_get_attr(comm, keyval, &value, &is_watched);
  if (is_watched == 0) require(PMPI_Comm_set_attr(comm, keyval, nullptr), MPI_COMM_NULL);
}

/// Takes a matched message apart if it may be an announcement: finds out its true size and makes it anew.
void examine(Held& held) {
  if (!may_be_announcement(held.status)) return;
  watch(held.comm);
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&held.status, MPI_BYTE, &bytes);
  require(PMPI_Mrecv_c(held.payload.data(), bytes, MPI_BYTE, &held.message, MPI_STATUS_IGNORE), held.comm);
  Announcement announcement;
  std::memcpy(&announcement, held.payload.data(), sizeof announcement);
  if (announcement.magic == Announcement::the_magic())
    PMPI_Status_set_elements_x(&held.status, MPI_BYTE, static_cast<MPI_Count>(announcement.bytes));

  int self = 0;
  PMPI_Comm_rank(world::comm(), &self);
  require(PMPI_Isend_c(held.payload.data(), bytes, MPI_BYTE, self, tags::to_oneself, world::comm(),
                       &held.resending),
          held.comm);
  for (int found = 0; found == 0;)
    require(PMPI_Improbe(self, tags::to_oneself, world::comm(), &found, &held.message, MPI_STATUS_IGNORE),
            held.comm);
  held.is_resent = true;
}

auto find(Store& all, int source, int tag, MPI_Comm comm) {
  return std::ranges::find_if(all.waiting, [&](const Held& held) {
    const MPI_Status& status = held.status;
    return held.comm == comm && (source == MPI_ANY_SOURCE || source == status.MPI_SOURCE) &&
           (tag == MPI_ANY_TAG || tag == status.MPI_TAG);
  });
}

/// Holds the messages of `source` up to the first with `tag`. Returns MPI's code.
int hold(int source, int tag, MPI_Comm comm) {
  Store& all = store();
  const std::lock_guard lock(all.mutex);
  for (;;) {
    int found = 0;
    Single made(1); // memory for it first
    Held& held = made.front();
    held.comm = comm;
    const int code = PMPI_Improbe(source, MPI_ANY_TAG, comm, &found, &held.message, &held.status);
    if (code != MPI_SUCCESS || found == 0) return code; // or another thread was faster
    examine(held);
    all.waiting.splice(all.waiting.end(), made);
    recount(all);
    if (held.status.MPI_TAG == tag) return MPI_SUCCESS;
  }
}

Single take_from(Store& all, std::list<Held>& from, std::list<Held>::iterator found) {
  Single taken;
  if (found != from.end()) taken.splice(taken.begin(), from, found);
  recount(all);
  return taken;
}

/// The status of the first message that matches.
std::optional<MPI_Status> look(int source, int tag, MPI_Comm comm) {
  if (!any()) return std::nullopt;
  Store& all = store();
  const std::lock_guard lock(all.mutex);
  const auto found = find(all, source, tag, comm);
  if (found == all.waiting.end()) return std::nullopt;
  return found->status;
}

void put(MPI_Status* status, const MPI_Status& found) {
  if (status == MPI_STATUS_IGNORE) return;
  const int error = status->MPI_ERROR; // which probes leave alone
  *status = found;
  status->MPI_ERROR = error;
}

} // namespace

std::unique_lock<std::mutex> steady() {
  return thread_level() == MPI_THREAD_MULTIPLE ? std::unique_lock(store().mutex)
                                               : std::unique_lock<std::mutex>();
}

Single take(int source, int tag, MPI_Comm comm) noexcept {
  if (!any()) return {};
  Store& all = store();
  return take_from(all, all.waiting, find(all, source, tag, comm));
}

int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  for (;;) {
    if (const auto held = look(source, tag, comm)) {
      *flag = 1;
      put(status, *held);
      return MPI_SUCCESS;
    }
    MPI_Status found;
    int code = PMPI_Iprobe(source, tag, comm, flag, &found);
    if (code != MPI_SUCCESS || *flag == 0) return code;
    if (!may_be_announcement(found)) {
      put(status, found);
      return code;
    }
    code = hold(found.MPI_SOURCE, found.MPI_TAG, comm);
    if (code != MPI_SUCCESS) return code;
  }
}

int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  Single made(1);
  Store& all = store();
  const std::lock_guard lock(all.mutex);
  Single one = take_from(all, all.waiting, find(all, source, tag, comm));
  if (one.empty()) {
    Held& held = made.front();
    held.comm = comm;
    const int code = PMPI_Improbe(source, tag, comm, flag, &held.message, &held.status);
    if (code != MPI_SUCCESS || *flag == 0) return code;
    examine(held);
    one.swap(made);
  }
  const Held& held = one.front();
  *flag = 1;
  *message = held.message;
  put(status, held.status);
  if (held.is_resent) all.matched.splice(all.matched.end(), one);
  recount(all);
  return MPI_SUCCESS;
}

MPI_Comm comm_of_matched(MPI_Message message) noexcept {
  if (!any()) return MPI_COMM_NULL;
  Store& all = store();
  const std::lock_guard lock(all.mutex);
  const auto found = std::ranges::find(all.matched, message, &Held::message);
  return found == all.matched.end() ? MPI_COMM_NULL : found->comm;
}

Single take_matched(MPI_Message message) noexcept {
  if (!any()) return {};
  Store& all = store();
  const std::lock_guard lock(all.mutex);
  return take_from(all, all.matched, std::ranges::find(all.matched, message, &Held::message));
}

} // namespace helper::message::held
