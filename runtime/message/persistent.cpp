// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/message.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lifetime/never_destroyed.hpp"
#include "message/operation.hpp"
#include "message/peers.hpp"
#include "message/unexpected.hpp"
#include "team/on_jump.hpp"
#include "team/registry.hpp"
#include "transport/mpi_error.hpp"
#include "transport/traffic.hpp"
#include "transport/world.hpp"

namespace helper::message::persistent {

namespace {

/// What a persistent request does when it is started. A send has a message, a receive has none.
struct PersistentRequest {
  Start start;
  std::optional<RendezvousSend::Candidate> message;
  std::optional<ReceiveBuffer> data;
  PointToPoint call;
  std::shared_ptr<const MPI_Datatype> type; // a duplicate, since the user may free the datatype
};

/// The persistent requests.
struct PersistentTable {
  std::recursive_mutex mutex; // guards kept; recursive since MPI may call the user's functions meanwhile
  std::unordered_map<MPI_Request, std::shared_ptr<const PersistentRequest>> kept;
};

constexpr auto& table = lifetime::sole<PersistentTable>;

void keep(MPI_Request request, PersistentRequest kept) {
  auto made = std::make_shared<const PersistentRequest>(std::move(kept));
  const std::lock_guard lock(table().mutex);
  table().kept.insert_or_assign(request, std::move(made));
}

std::shared_ptr<const PersistentRequest> find(MPI_Request request) {
  const std::lock_guard lock(table().mutex);
  const auto found = table().kept.find(request);
  return found == table().kept.end() ? nullptr : found->second;
}

// Whether a native request is inactive or over, which MPI is asked.
bool is_over(MPI_Request request) {
  int flag = 1;
  look_at_native(request, &flag, MPI_STATUS_IGNORE);
  return flag != 0;
}

} // namespace

void keep_send(MPI_Request request, Start start, const void* buffer, MPI_Count count, MPI_Datatype type,
               int destination, int tag, MPI_Comm comm) {
  if (transport::world::comm() == MPI_COMM_NULL) return;
  forget(request);
  auto message = RendezvousSend::candidate({buffer, count, type, destination, tag, comm});
  if (!message) return;
  transport::charged_to(comm, [&] { keep(request, {start, std::move(message), std::nullopt, {}, nullptr}); });
}

void keep_receive(MPI_Request request, void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag,
                  MPI_Comm comm) {
  if (transport::world::comm() == MPI_COMM_NULL || source == MPI_PROC_NULL) return;
  forget(request);
  transport::charged_to(comm, [&] {
    auto own = duplicate(type);
    const PointToPoint call{buffer, count, *own, source, tag, comm};
    keep(request, {nullptr, std::nullopt, ReceiveBuffer(buffer, count, type), call, std::move(own)});
  });
}

void forget(MPI_Request request) {
  const auto forgotten = [&] {
    const std::lock_guard lock(table().mutex);
    return table().kept.extract(request);
  }(); // it is destroyed without the lock, since the datatype's delete functions may come here
}

void release(MPI_Request request) {
  const auto kept = find(request);
  if (kept != nullptr && !kept->message && !is_over(request))
    transport::traffic::begin(); // for good: nobody learns when it is over
  forget(request);
}

bool no_receives() {
  const std::lock_guard lock(table().mutex);
  return std::ranges::all_of(table().kept, [](const auto& each) { return each.second->message.has_value(); });
}

bool receives_over() {
  // No other thread frees one meanwhile. MPI may call the user's error handler.
  const team::JumpSafe<std::lock_guard<std::recursive_mutex>> lock(table().mutex);
  std::vector<MPI_Request> receives;
  for (const auto& [request, kept] : table().kept) {
    if (!kept->message) receives.push_back(request);
  }
  return std::ranges::all_of(
      receives, [](MPI_Request request) { return !table().kept.contains(request) || is_over(request); });
}

std::optional<int> start(team::Member& member, MPI_Request* request) {
  const auto kept = request == nullptr ? nullptr : find(*request);
  if (kept == nullptr) return std::nullopt;
  // The native request is not started, and keeps the communicator, which the user may have freed.
  if (kept->message) {
    // Outside of phases nothing is announced: nobody would rescue it before a call that blocks in MPI.
    if (&member == &team::alone()) return std::nullopt;
    return start_announced(member, kept->start, *kept->message, *request);
  }
  peers::be_ready(0);
  const team::JumpSafe<std::unique_lock<std::mutex>> lock(unexpected::lock());
  return start_to_receive(kept->data, kept->call, *request);
}

std::optional<int> startall(team::Member& member, int count, MPI_Request* requests) {
  if (count < 0 || requests == nullptr) return std::nullopt;
  for (int i = 0; i < count; ++i) {
    const auto started = start(member, &requests[i]);
    const int code = started ? *started : PMPI_Start(&requests[i]);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

} // namespace helper::message::persistent
