// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/held.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "transport/world.hpp"

namespace helper::message::held {

namespace {

namespace world = transport::world;

// The tag on the private communicator of messages to oneself. Streams come from others.
constexpr int self_tag = 32767;

/// Never destroyed: threads may communicate until the process ends.
struct Store {
  std::mutex mutex; // guards the rest, and that a message to oneself is matched by who sent it
  std::deque<Held> waiting;
  std::vector<Held> matched;
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

/// Takes a matched message apart if it may be an announcement: finds out its true size and makes it anew.
Held examine(MPI_Comm comm, MPI_Message message, const MPI_Status& status) {
  Held held{comm, message, status, nullptr};
  if (!may_be_announcement(status)) return held;
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  held.payload = std::make_shared<Held::Payload>();
  PMPI_Mrecv_c(held.payload->data(), bytes, MPI_BYTE, &held.message, MPI_STATUS_IGNORE);
  Announcement announcement;
  std::memcpy(&announcement, held.payload->data(), sizeof announcement);
  if (announcement.magic == Announcement::the_magic())
    PMPI_Status_set_elements_x(&held.status, MPI_BYTE, static_cast<MPI_Count>(announcement.bytes));

  int self = 0;
  PMPI_Comm_rank(world::comm(), &self);
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Isend_c(held.payload->data(), bytes, MPI_BYTE, self, self_tag, world::comm(), &request);
  PMPI_Request_free(&request); // the payload lives until it is received
  for (int found = 0; found == 0;)
    PMPI_Improbe(self, self_tag, world::comm(), &found, &held.message, MPI_STATUS_IGNORE);
  return held;
}

auto find(Store& all, int source, int tag, MPI_Comm comm) {
  return std::ranges::find_if(all.waiting, [&](const Held& held) {
    const MPI_Status& status = held.status;
    return held.comm == comm && (source == MPI_ANY_SOURCE || source == status.MPI_SOURCE) &&
           (tag == MPI_ANY_TAG || tag == status.MPI_TAG);
  });
}

/// Holds the messages of `source` up to the first with `tag`.
void hold(int source, int tag, MPI_Comm comm) {
  Store& all = store();
  const std::lock_guard lock(all.mutex);
  for (;;) {
    int found = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    PMPI_Improbe(source, MPI_ANY_TAG, comm, &found, &message, &status);
    if (found == 0) return; // another thread was faster
    all.waiting.push_back(examine(comm, message, status));
    recount(all);
    if (status.MPI_TAG == tag) return;
  }
}

std::optional<Held> take_from(Store& all, int source, int tag, MPI_Comm comm) {
  const auto found = find(all, source, tag, comm);
  if (found == all.waiting.end()) return std::nullopt;
  Held held = std::move(*found);
  all.waiting.erase(found);
  recount(all);
  return held;
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
  static const bool is_needed = [] {
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
  }();
  return is_needed ? std::unique_lock(store().mutex) : std::unique_lock<std::mutex>();
}

std::optional<Held> take(int source, int tag, MPI_Comm comm) {
  if (!any()) return std::nullopt;
  return take_from(store(), source, tag, comm);
}

int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  for (;;) {
    if (const auto held = look(source, tag, comm)) {
      *flag = 1;
      put(status, *held);
      return MPI_SUCCESS;
    }
    MPI_Status found;
    const int code = PMPI_Iprobe(source, tag, comm, flag, &found);
    if (code != MPI_SUCCESS || *flag == 0) return code;
    if (!may_be_announcement(found)) {
      put(status, found);
      return code;
    }
    hold(found.MPI_SOURCE, found.MPI_TAG, comm);
  }
}

int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  Store& all = store();
  const std::lock_guard lock(all.mutex);
  auto held = take_from(all, source, tag, comm);
  if (!held) {
    MPI_Message found = MPI_MESSAGE_NULL;
    MPI_Status of_found;
    const int code = PMPI_Improbe(source, tag, comm, flag, &found, &of_found);
    if (code != MPI_SUCCESS || *flag == 0) return code;
    held = examine(comm, found, of_found);
  }
  *flag = 1;
  *message = held->message;
  put(status, held->status);
  if (held->payload != nullptr) {
    all.matched.push_back(std::move(*held));
    recount(all);
  }
  return MPI_SUCCESS;
}

std::optional<Held> take_matched(MPI_Message message) {
  if (!any()) return std::nullopt;
  Store& all = store();
  const std::lock_guard lock(all.mutex);
  const auto found = std::ranges::find(all.matched, message, &Held::message);
  if (found == all.matched.end()) return std::nullopt;
  Held held = std::move(*found);
  all.matched.erase(found);
  recount(all);
  return held;
}

} // namespace helper::message::held
