// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// This file keeps the operations of requests.

#include <new>
#include <tuple>
#include <utility>

#include "lifetime/never_destroyed.hpp"
#include "message/operation.hpp"
#include "ranks/mpi_error.hpp"

namespace helper::message::requests {

namespace {

/// The requests that have operations. What is done for all operations under way looks at the active ones
/// alone: there may be thousands of others.
struct RequestTable {
  /// Operations, and the request of the one that was advanced last.
  struct Ring {
    Operations operations;
    MPI_Request last = MPI_REQUEST_NULL;
  };

  std::mutex mutex;    // guards the rest
  Ring receives;       // nothing has come for them
  Ring active;         // may be under way
  Operations complete; // have been active
};

constexpr auto& table = lifetime::sole<RequestTable>;

// Relaxed: it is for tests, which look when nothing is under way.
constinit std::atomic<std::uint64_t> visits{0};

void recount(const RequestTable& all) noexcept {
  const std::size_t active = all.active.operations.size();
  detail::tracked.store(all.receives.operations.size() + active + all.complete.size(),
                        std::memory_order_relaxed);
  detail::active.store(active, std::memory_order_relaxed);
}

// The caller of these holds the mutex.

Operations::node_type extract(RequestTable& all, MPI_Request request) noexcept {
  if (!names.may_have(request)) return {};
  auto entry = all.receives.operations.extract(request);
  if (entry.empty()) entry = all.active.operations.extract(request);
  if (entry.empty()) entry = all.complete.extract(request);
  if (entry.empty()) return entry;
  names.remove(request);
  if (!entry.mapped()->is_given()) withheld_names.remove(request);
  return entry;
}

void insert(RequestTable& all, MPI_Request request, Operations::node_type entry) noexcept {
  entry.key() = request;
  NonblockingOperation& operation = *entry.mapped();
  operation.set_name(request);
  operation.set_given(operation.awaits_first() && operation.native() == request);
  names.add(request);
  if (!operation.is_given()) withheld_names.add(request);
  (entry.mapped()->awaits_first() ? all.receives : all.active).operations.insert(std::move(entry));
}

const std::shared_ptr<NonblockingOperation>* look_up(const RequestTable& all, MPI_Request request) noexcept {
  for (const Operations* const each : {&all.receives.operations, &all.active.operations, &all.complete}) {
    if (const auto found = each->find(request); found != each->end()) return &found->second;
  }
  return nullptr;
}

bool is_of(const RequestTable& all, MPI_Request request, const NonblockingOperation& operation) noexcept {
  const auto* const found = look_up(all, request);
  return found != nullptr && found->get() == &operation;
}

} // namespace

Operations::node_type entry_of(std::shared_ptr<NonblockingOperation> operation) {
  Operations made;
  made.emplace(MPI_REQUEST_NULL, std::move(operation));
  return made.extract(made.begin());
}

void track(MPI_Request request, Operations::node_type entry) noexcept {
  RequestTable& all = table();
  Operations::node_type replaced; // is destroyed without the lock
  const std::lock_guard lock(all.mutex);
  replaced = extract(all, request);
  insert(all, request, std::move(entry));
  recount(all);
}

namespace {

std::shared_ptr<ReceiveOperation> make_operation(const EagerReceive& receive) {
  ReceiveBuffer data(receive);
  receive.release();
  return std::make_shared<ReceiveOperation>(std::move(data));
}

} // namespace

void track(MPI_Request request, const EagerReceive& receive) noexcept {
  try {
    const auto operation = make_operation(receive);
    operation->set_request(request, std::nullopt);
    track(request, entry_of(operation));
  } catch (const std::bad_alloc&) { // it remains MPI's
  }
}

int resume(team::Member& member, const EagerReceive& receive, const MPI_Status& status, MPI_Request& request,
           MPI_Comm comm) {
  if (!Rts::begins(receive, status)) [[likely]] {
    receive.release();
    return MPI_SUCCESS;
  }
  return reported_to(comm, [&] {
    try {
      const auto operation = make_operation(receive);
      auto entry = entry_of(operation);
      return Code{operation->goes_on(status) ? go_on(member, std::move(entry), request) : MPI_SUCCESS};
    } catch (const std::bad_alloc&) {
      return Code{MPI_ERR_NO_MEM, true};
    } catch (const ranks::MpiError& error) {
      return Code{error.code(), true};
    }
  });
}

std::shared_ptr<NonblockingOperation> operation_of(const MPI_Request* request) {
  if (request == nullptr) return nullptr;
  if (const auto receive = eager_receives::take(*request)) track(*request, *receive);
  return find(request);
}

std::shared_ptr<NonblockingOperation> find(const MPI_Request* request) {
  if (request == nullptr || !names.may_have(*request)) return nullptr;
  RequestTable& all = table();
  const std::lock_guard lock(all.mutex);
  const auto* const found = look_up(all, *request);
  return found == nullptr ? nullptr : *found;
}

std::shared_ptr<NonblockingOperation> withheld(MPI_Request request) {
  if (!withheld_names.may_have(request)) return nullptr;
  RequestTable& all = table();
  const std::lock_guard lock(all.mutex);
  const auto* const found = look_up(all, request);
  return found == nullptr || (*found)->is_given() ? nullptr : *found;
}

Operations::node_type take(MPI_Request name, int code, const MPI_Status& status) {
  if (const auto receive = eager_receives::take(name)) {
    if (code != MPI_SUCCESS || !Rts::begins(*receive, status)) [[likely]] {
      receive->release();
      return {};
    }
    auto entry = entry_of(make_operation(*receive));
    return entry.mapped()->goes_on(status) ? std::move(entry) : Operations::node_type();
  }
  if (!names.may_have(name)) return {};
  RequestTable& all = table();
  auto entry = [&] {
    const std::lock_guard lock(all.mutex);
    auto extracted = extract(all, name);
    recount(all);
    return extracted;
  }(); // it may be destroyed, without the lock
  const bool goes_on = !entry.empty() && code == MPI_SUCCESS && Rts::may_have(bytes_of(status)) &&
                       entry.mapped()->goes_on(status);
  return goes_on ? std::move(entry) : Operations::node_type();
}

int go_on(team::Member& member, Operations::node_type entry, MPI_Request& request) {
  const auto operation = entry.mapped();
  const int code = operation->stand_in(request);
  if (code == MPI_SUCCESS) {
    track(request, std::move(entry));
    return code;
  }
  while (!operation->carry_on(member)) { // else the message would be lost
  }
  return code;
}

void set_carried(const NonblockingOperation& operation) noexcept {
  RequestTable& all = table();
  const std::lock_guard lock(all.mutex);
  Operations& receives = all.receives.operations;
  const auto found = receives.find(operation.name());
  if (found == receives.end() || found->second.get() != &operation) return;
  if (found->second->is_given()) {
    found->second->set_given(false);
    withheld_names.add(found->first);
  }
  all.active.operations.insert(receives.extract(found));
  recount(all);
}

bool forget(MPI_Request request, const NonblockingOperation& operation) {
  RequestTable& all = table();
  const auto forgotten = [&] {
    const std::lock_guard lock(all.mutex);
    if (!is_of(all, request, operation)) return Operations::node_type();
    auto entry = extract(all, request);
    recount(all);
    return entry;
  }(); // the caller may have the last share, and it is destroyed without the lock
  return !forgotten.empty();
}

namespace {

/// Calls `visit(operation)` for one active operation after the other, without the lock, until it returns
/// true. Returns whether it did. Complete ones are active no more, but for those that nobody will complete.
template <class Visit>
bool any_of(const Visit& visit) {
  RequestTable& all = table();
  std::unique_lock lock(all.mutex);
  Operations& active = all.active.operations;
  for (auto at = active.begin(); at != active.end();) {
    auto [request, operation] = *at;
    visits.fetch_add(1, std::memory_order_relaxed);
    if (operation->complete() && !operation->detached()) {
      all.complete.insert(active.extract(at));
      recount(all);
    } else {
      lock.unlock();
      if (visit(*operation)) return true;
      operation.reset(); // without the lock, as it may be the last share
      lock.lock();
    }
    at = active.upper_bound(request);
  }
  return false;
}

/// Advances one of the operations, the next one after the last.
bool advance_next(team::Member& member, RequestTable::Ring& ring) noexcept {
  MPI_Request request = MPI_REQUEST_NULL;
  std::shared_ptr<NonblockingOperation> operation;
  {
    const std::lock_guard lock(table().mutex);
    if (ring.operations.empty()) return false;
    auto next = ring.operations.upper_bound(ring.last);
    if (next == ring.operations.end()) next = ring.operations.begin();
    std::tie(request, operation) = *next;
    ring.last = request;
  }
  return advance(member, request, *operation);
}

bool advance_active(team::Member& member) noexcept {
  return detail::active.load(std::memory_order_relaxed) != 0 && advance_next(member, table().active);
}

} // namespace

bool advance(team::Member& member, MPI_Request request, NonblockingOperation& operation) noexcept {
  const bool advanced = operation.advance(member);
  if (operation.complete() && operation.detached() &&
      forget(request, operation)) { // or another thread does it
    operation.finish_quietly(request);
    if (request != MPI_REQUEST_NULL) PMPI_Request_free(&request); // a persistent one
  }
  return advanced;
}

void rescue_all() noexcept {
  if (detail::active.load(std::memory_order_relaxed) == 0) return;
  any_of([](NonblockingOperation& operation) {
    operation.rescue();
    return false;
  });
}

bool under_way() noexcept {
  return any_of([](NonblockingOperation& operation) { return operation.under_way(); });
}

bool own_under_way() noexcept {
  return detail::active.load(std::memory_order_relaxed) != 0 &&
         any_of([](NonblockingOperation& operation) { return operation.own() && operation.under_way(); });
}

bool advance_one(team::Member& member) noexcept {
  if (!any()) return false;
  const bool has_advanced = advance_active(member);
  return advance_next(member, table().receives) || has_advanced;
}

void detail::advance_some(team::Member& member) noexcept {
  // Few calls look at a receive: that of one for which nothing has come would cost more than the call itself.
  constexpr unsigned period = 64;
  // Any thread may miss another's turn. Relaxed: it orders nothing.
  static constinit std::atomic<unsigned> turns{0};
  const unsigned turn = turns.load(std::memory_order_relaxed) + 1;
  turns.store(turn, std::memory_order_relaxed);
  advance_active(member);
  if (turn % period == 0) advance_next(member, table().receives);
}

std::uint64_t visited() noexcept {
  return visits.load(std::memory_order_relaxed);
}

} // namespace helper::message::requests
