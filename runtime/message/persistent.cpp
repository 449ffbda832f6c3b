// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/message.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "lifetime/never_destroyed.hpp"
#include "message/given_requests.hpp"
#include "message/packed_bytes.hpp"
#include "message/peers.hpp"
#include "message/requests.hpp"
#include "message/unexpected.hpp"
#include "ranks/mpi_error.hpp"
#include "ranks/world.hpp"
#include "shm/traffic.hpp"
#include "team/detours.hpp"
#include "team/registry.hpp"

namespace helper::message::persistent {

namespace {

/// A send that may be announced. If functions of the program pack the data, MPI's request sends packed bytes.
/// They are packed again before each start that is left to MPI.
class PersistentSend final : public PersistentOperation {
public:
  PersistentSend(Start with, std::optional<RendezvousSend::Candidate> message,
                 std::shared_ptr<const PackedBytes> bytes = nullptr)
      : start_(with), message_(std::move(message)), bytes_(std::move(bytes)) {}

  std::optional<int> start(team::Member& member, MPI_Request& request) const override {
    std::optional<int> code;
    // Outside phases no send is announced: a later call may block in MPI without rescuing the message.
    if (message_ && &member != &team::alone()) code = start_announced(member, start_, *message_, request);
    if (!code && bytes_ != nullptr) bytes_->load(member);
    return code;
  }
  /// The bytes that MPI sends; nullptr if MPI sends from the user's buffer.
  const std::shared_ptr<const PackedBytes>& bytes() const noexcept { return bytes_; }

private:
  Start start_;
  std::optional<RendezvousSend::Candidate> message_;
  std::shared_ptr<const PackedBytes> bytes_;
};

class PersistentReceive final : public PersistentOperation {
public:
  PersistentReceive(ReceiveBuffer data, const PointToPoint& call, std::shared_ptr<const MPI_Datatype> type)
      : data_(std::move(data)), call_(call), type_(std::move(type)) {}

  std::optional<int> start(team::Member&, MPI_Request& request) const override {
    peers::be_ready(0);
    const std::unique_lock lock(unexpected::lock());
    return start_to_receive(data_, call_, request);
  }
  bool receives() const noexcept override { return true; }

private:
  std::optional<ReceiveBuffer> data_;
  PointToPoint call_;
  std::shared_ptr<const MPI_Datatype> type_; // a duplicate, since the user may free the datatype
};

struct PersistentTable {
  std::recursive_mutex mutex; // guards the rest; recursive since MPI may call the user's functions meanwhile
  Kept kept;
  std::map<MPI_Request, bool> lasting; // requests that count as lasting; true: collective
  std::vector<std::shared_ptr<const PackedBytes>> abandoned; // of freed requests; MPI may still send them
};

constexpr auto& table = lifetime::sole<PersistentTable>;

std::shared_ptr<const PersistentOperation> find(MPI_Request request) {
  const std::lock_guard lock(table().mutex);
  const auto found = table().kept.find(request);
  return found == table().kept.end() ? nullptr : found->second;
}

// Returns whether a native request is inactive or complete, according to MPI.
bool is_over(MPI_Request request) {
  int flag = 1;
  look_at_native(request, &flag, MPI_STATUS_IGNORE);
  return flag != 0;
}

// While a collective request is kept, all calls take a detour: they check whether MPI may see the request.
void add_collective(MPI_Request request) noexcept {
  collectives.add(request);
  team::detours::add();
}
void remove_collective(MPI_Request request) noexcept {
  collectives.remove(request);
  team::detours::remove();
}

} // namespace

Kept::node_type entry_of(std::shared_ptr<const PersistentOperation> operation) {
  Kept made;
  made.emplace(MPI_REQUEST_NULL, std::move(operation));
  return made.extract(made.begin());
}

void keep(MPI_Request request, Kept::node_type entry) noexcept {
  forget(request); // a request with this handle was freed without the library
  const std::lock_guard lock(table().mutex);
  if (entry.mapped()->is_collective()) add_collective(request);
  entry.key() = request;
  table().kept.insert(std::move(entry));
}

void keep(MPI_Request request, std::shared_ptr<const PersistentOperation> operation) {
  keep(request, entry_of(std::move(operation)));
}

bool is_unknown_to_mpi(const MPI_Request& request) {
  if (!collectives.may_have(request)) return false;
  const auto kept = find(request);
  return kept != nullptr && kept->is_collective() && !kept->started_by_mpi();
}

void keep_send(MPI_Request request, Start start, const void* buffer, MPI_Count count, MPI_Datatype type,
               int destination, int tag, MPI_Comm comm) {
  if (ranks::world::comm() == MPI_COMM_NULL) return;
  forget(request);
  auto message = RendezvousSend::candidate({buffer, count, type, destination, tag, comm},
                                           RendezvousSend::Sender::goes_on);
  if (!message) return;
  ranks::charged_to(comm,
                    [&] { keep(request, std::make_shared<PersistentSend>(start, std::move(message))); });
}

int make_packed_send(Start init, Start start, const void* buffer, MPI_Count count, MPI_Datatype type,
                     int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  return ranks::charged_to(comm, [&] {
    const auto bytes = std::make_shared<const PackedBytes>(buffer, count, type);
    auto entry = entry_of(std::make_shared<PersistentSend>(
        start,
        RendezvousSend::candidate({buffer, count, type, destination, tag, comm},
                                  RendezvousSend::Sender::goes_on),
        bytes));
    const int code = bytes->give(
        [&](int n, MPI_Datatype of) { return init(bytes->data(), n, of, destination, tag, comm, request); });
    if (code == MPI_SUCCESS) keep(*request, std::move(entry));
    return code;
  });
}

void keep_receive(MPI_Request request, void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag,
                  MPI_Comm comm) {
  if (ranks::world::comm() == MPI_COMM_NULL || source == MPI_PROC_NULL) return;
  ranks::charged_to(comm, [&] {
    auto own = duplicate(type);
    const PointToPoint call{buffer, count, *own, source, tag, comm};
    keep(request,
         std::make_shared<PersistentReceive>(ReceiveBuffer(buffer, count, type), call, std::move(own)));
  });
}

void forget(MPI_Request request) {
  const auto forgotten = [&] {
    const std::lock_guard lock(table().mutex);
    auto extracted = table().kept.extract(request);
    if (!extracted.empty() && extracted.mapped()->is_collective()) remove_collective(request);
    return extracted;
  }(); // destroyed without the lock, since the datatype's delete functions may call MPI
}

void forget_all() noexcept {
  const auto forgotten = [] {
    const std::lock_guard lock(table().mutex);
    for (const auto& [request, kept] : table().kept)
      if (kept->is_collective()) remove_collective(request);
    return std::exchange(table().kept, {});
  }(); // destroyed without the lock, as in forget()
}

void begin_lasting(MPI_Request request, bool is_collective) noexcept {
  try {
    const std::lock_guard lock(table().mutex);
    // The library may have missed the freeing of an earlier request: its count then serves for this request.
    if (!table().lasting.insert_or_assign(request, is_collective).second) return;
  } catch (const std::bad_alloc&) {
    // Without an entry, shm::traffic counts the request until the process ends.
  }
  shm::traffic::begin_lasting();
}

bool release(MPI_Request request) {
  const auto lasting = [&] {
    const std::lock_guard lock(table().mutex);
    return table().lasting.extract(request);
  }();
  const auto kept = find(request);
  const bool receives = kept != nullptr && kept->receives();
  if (!lasting.empty() || receives) {
    // A collective request counts as complete, since a program must not free an active one. MPI must not be
    // asked about it, see is_collective(). For MPI a buffered send is complete once it has started.
    const bool over = (!lasting.empty() && lasting.mapped()) || is_over(request);
    if (over && !lasting.empty()) shm::traffic::end_lasting();
    if (!over && receives) shm::traffic::begin();
  }
  if (const auto* const send = dynamic_cast<const PersistentSend*>(kept.get());
      send != nullptr && send->bytes() != nullptr && !is_over(request)) {
    const std::lock_guard lock(table().mutex);
    table().abandoned.push_back(send->bytes());
  }
  forget(request);
  return lasting.empty() && kept == nullptr && request != MPI_REQUEST_NULL && !is_ours(request) &&
         is_over(request);
}

bool no_receives() {
  const std::lock_guard lock(table().mutex);
  return std::ranges::all_of(table().kept, [](const auto& each) { return !each.second->receives(); });
}

bool receives_over() {
  // The lock keeps other threads from freeing requests. MPI may call an error handler here, which frees some.
  const std::lock_guard lock(table().mutex);
  std::vector<MPI_Request> receives;
  for (const auto& [request, kept] : table().kept) {
    if (kept->receives()) receives.push_back(request);
  }
  return std::ranges::all_of(
      receives, [](MPI_Request request) { return !table().kept.contains(request) || is_over(request); });
}

std::optional<int> start(team::Member& member, MPI_Request* request) {
  const auto kept = request == nullptr ? nullptr : find(*request);
  if (kept == nullptr) return std::nullopt;
  const std::optional<int> started = kept->start(member, *request);
  if (!started) kept->set_started_by_mpi();
  return started;
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
