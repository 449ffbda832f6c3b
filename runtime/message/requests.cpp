// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <new>
#include <utility>

#include "lifetime/never_destroyed.hpp"
#include "message/requests.hpp"
#include "ranks/mpi_error.hpp"
#include "team/detours.hpp"

namespace helper::message::requests {

/// Operations in the order in which they were added. take_turn() returns one after the other.
class Ring {
public:
  void add(NonblockingOperation& operation) noexcept {
    operation.ring_ = this;
    operation.before_ = last_;
    operation.after_ = nullptr;
    (last_ != nullptr ? last_->after_ : first_) = &operation;
    last_ = &operation;
  }

  void remove(NonblockingOperation& operation) noexcept {
    if (next_ == &operation) next_ = operation.after_;
    (operation.before_ != nullptr ? operation.before_->after_ : first_) = operation.after_;
    (operation.after_ != nullptr ? operation.after_->before_ : last_) = operation.before_;
    operation.ring_ = nullptr;
  }

  NonblockingOperation* first() const noexcept { return first_; }

  /// Returns the next operation, or the first again if another thread has removed `operation`.
  NonblockingOperation* after(const NonblockingOperation& operation) const noexcept {
    return operation.ring_ == this ? operation.after_ : first_;
  }

  NonblockingOperation* take_turn() noexcept {
    NonblockingOperation* const operation = next_ != nullptr ? next_ : first_;
    if (operation != nullptr) next_ = operation->after_;
    return operation;
  }

private:
  NonblockingOperation *first_ = nullptr, *last_ = nullptr, *next_ = nullptr;
};

/// The requests that have operations. Some functions visit all active ones: thousands may be inactive.
struct RequestTable {
  std::mutex mutex; // guards the rest, and the operations' places in the table
  Ring receives;    // nothing has arrived for them
  Ring active;      // may be under way

  // Held by the thread that makes an operation of an eager receive. At MPI_THREAD_MULTIPLE two threads may
  // look at the same request at once: the second finds the operation. Locked before `mutex`.
  std::mutex making;

  // The caller of these holds the mutex.

  void move(NonblockingOperation& operation, Ring* to) noexcept {
    if (operation.ring_ != nullptr) operation.ring_->remove(operation);
    if (to != nullptr) to->add(operation);
    detail::any_active.store(active.first() != nullptr, std::memory_order_relaxed);
  }

  void add(MPI_Request request, std::shared_ptr<NonblockingOperation> shared) noexcept {
    NonblockingOperation& operation = *shared;
    operation.name_ = request;
    operation.tracked_ = std::move(shared);
    auto& chain = detail::chain_of(request);
    operation.next_ = chain.load(std::memory_order_relaxed);
    chain.store(&operation, std::memory_order_relaxed);
    move(operation, operation.awaits_first() ? &receives : &active);
    if (!is_given(operation)) withheld_names.add(request);
    if (detail::tracked.fetch_add(1, std::memory_order_relaxed) == 0) team::detours::add();
  }

  /// Returns the table's share of the operation. The caller destroys it without the lock.
  std::shared_ptr<NonblockingOperation> remove(NonblockingOperation* operation) noexcept {
    if (operation == nullptr || operation->tracked_ == nullptr) return nullptr;
    auto& chain = detail::chain_of(operation->name_);
    if (NonblockingOperation* at = chain.load(std::memory_order_relaxed); at == operation) {
      chain.store(operation->next_, std::memory_order_relaxed);
    } else {
      while (at->next_ != operation) at = at->next_;
      at->next_ = operation->next_;
    }
    if (!is_given(*operation)) withheld_names.remove(operation->name_);
    move(*operation, nullptr);
    if (detail::tracked.fetch_sub(1, std::memory_order_relaxed) == 1) team::detours::remove();
    return std::move(operation->tracked_);
  }

  /// Returns whether MPI may complete the request.
  bool is_given(const NonblockingOperation& operation) const noexcept {
    return operation.ring_ == &receives && operation.native() == operation.name_;
  }

  static NonblockingOperation* find(MPI_Request request) noexcept {
    NonblockingOperation* at = detail::chain_of(request).load(std::memory_order_relaxed);
    while (at != nullptr && at->name_ != request) at = at->next_;
    return at;
  }

  static std::shared_ptr<NonblockingOperation> share(const NonblockingOperation* operation) noexcept {
    return operation == nullptr ? nullptr : operation->tracked_;
  }

  void activate(NonblockingOperation& operation) noexcept {
    if (operation.ring_ != &receives) return;
    if (is_given(operation)) withheld_names.add(operation.name_);
    move(operation, &active);
  }
};

namespace {

constexpr auto& table = lifetime::sole<RequestTable>;

// Relaxed: only tests read it, when nothing is in flight.
constinit std::atomic<std::uint64_t> visits{0};

std::shared_ptr<ReceiveOperation> make_operation(const EagerReceive& receive) {
  ReceiveBuffer data(receive);
  receive.release();
  return std::make_shared<ReceiveOperation>(std::move(data));
}

/// Keeps an operation of the receive, unless there is no memory for it.
void track_receive(MPI_Request request, const EagerReceive& receive) noexcept {
  try {
    const auto operation = make_operation(receive);
    operation->set_request(request);
    track(request, operation);
  } catch (const std::bad_alloc&) { // then only MPI knows the request
  }
}

/// Calls `visit(operation)`, without the lock, for one active operation after the other, until a call returns
/// true. Returns whether one did. Makes complete operations inactive, unless their requests have been freed.
template <class Visit>
bool any_of(const Visit& visit) {
  if (!detail::any_active.load(std::memory_order_relaxed)) return false;
  RequestTable& all = table();
  std::shared_ptr<NonblockingOperation> visited;
  std::unique_lock lock(all.mutex);
  for (NonblockingOperation *at = all.active.first(), *next = nullptr; at != nullptr; at = next) {
    next = all.active.after(*at);
    visits.fetch_add(1, std::memory_order_relaxed);
    if (at->complete() && !at->detached()) {
      all.move(*at, nullptr);
      continue;
    }
    auto before = std::exchange(visited, RequestTable::share(at));
    lock.unlock();
    before.reset(); // without the lock, as this may be the last share
    if (visit(*visited)) return true;
    lock.lock();
    next = all.active.after(*visited);
  }
  return false;
}

/// Advances the operation whose turn it is.
bool advance_next(team::Member& member, Ring& ring) noexcept {
  std::unique_lock lock(table().mutex);
  const auto operation = RequestTable::share(ring.take_turn());
  lock.unlock();
  return operation != nullptr && advance(member, *operation);
}

bool advance_active(team::Member& member) noexcept {
  return detail::any_active.load(std::memory_order_relaxed) && advance_next(member, table().active);
}

} // namespace

void track(MPI_Request request, std::shared_ptr<NonblockingOperation> operation) noexcept {
  RequestTable& all = table();
  std::shared_ptr<NonblockingOperation> replaced; // destroyed without the lock
  const std::lock_guard lock(all.mutex);
  replaced = all.remove(RequestTable::find(request));
  all.add(request, std::move(operation));
}

void keep(MPI_Request request, const EagerReceive& receive) noexcept {
  if (receive.room() < Rts::least_bytes) return;
  receive.keep();
  if (!eager_receives::put(request, receive)) track_receive(request, receive);
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
      return Code{operation->goes_on(status) ? go_on(member, operation, request) : MPI_SUCCESS};
    } catch (const std::bad_alloc&) {
      return Code{MPI_ERR_NO_MEM, true};
    } catch (const ranks::MpiError& error) {
      return Code{error.code(), true};
    }
  });
}

std::shared_ptr<NonblockingOperation> operation_of(const MPI_Request* request) {
  if (request == nullptr) return nullptr;
  if (eager_receives::has(*request)) {
    const std::lock_guard lock(table().making);
    eager_receives::remove(*request, [&](const EagerReceive& receive) { track_receive(*request, receive); });
  }
  return find(request);
}

std::shared_ptr<NonblockingOperation> find(const MPI_Request* request) {
  if (request == nullptr || !may_have(*request)) return nullptr;
  const std::lock_guard lock(table().mutex);
  return RequestTable::share(RequestTable::find(*request));
}

std::shared_ptr<NonblockingOperation> withheld(MPI_Request request) {
  if (!withheld_names.may_have(request)) return nullptr;
  const std::lock_guard lock(table().mutex);
  NonblockingOperation* const found = RequestTable::find(request);
  return found == nullptr || table().is_given(*found) ? nullptr : RequestTable::share(found);
}

std::shared_ptr<NonblockingOperation> detail::take_to_go_on(MPI_Request name, int code,
                                                            const MPI_Status& status) {
  std::shared_ptr<NonblockingOperation> operation;
  if (const auto receive = eager_receives::take(name)) {
    operation = make_operation(*receive);
  } else {
    const std::lock_guard lock(table().mutex);
    operation = table().remove(RequestTable::find(name));
  }
  return operation != nullptr && code == MPI_SUCCESS && Rts::may_have(bytes_of(status)) &&
                 operation->goes_on(status)
             ? std::move(operation)
             : nullptr;
}

int go_on(team::Member& member, const std::shared_ptr<NonblockingOperation>& operation,
          MPI_Request& request) {
  const int code = operation->stand_in(request);
  if (code == MPI_SUCCESS) {
    track(request, operation);
    return code;
  }
  while (!operation->carry_on(member)) { // otherwise the message would be lost
  }
  return code;
}

void set_carried(NonblockingOperation& operation) noexcept {
  const std::lock_guard lock(table().mutex);
  table().activate(operation);
}

bool forget(NonblockingOperation& operation) {
  const std::lock_guard lock(table().mutex);
  return table().remove(&operation) != nullptr; // the caller has another share
}

bool advance(team::Member& member, NonblockingOperation& operation) noexcept {
  const bool advanced = operation.advance(member);
  if (operation.complete() && operation.detached() && forget(operation)) { // or another thread disposes of it
    MPI_Request request = operation.name();
    operation.finish_quietly(request);
    shm::traffic::end(request == MPI_REQUEST_NULL ? 1 : 0);
    if (request != MPI_REQUEST_NULL) PMPI_Request_free(&request); // a persistent one
  }
  return advanced;
}

void rescue_all() noexcept {
  any_of([](NonblockingOperation& operation) {
    operation.rescue();
    return false;
  });
}

bool under_way() noexcept {
  return any_of([](NonblockingOperation& operation) { return operation.under_way(); });
}

bool own_under_way() noexcept {
  return any_of([](NonblockingOperation& operation) { return operation.own() && operation.under_way(); });
}

bool advance_one(team::Member& member) noexcept {
  if (!any()) return false;
  const bool has_advanced = advance_active(member);
  return advance_next(member, table().receives) || has_advanced;
}

void detail::advance_some(team::Member& member) noexcept {
  // Few calls look at a receive: for a receive without a message a look would cost more than the call itself.
  constexpr unsigned period = 64;
  // Threads may miss counts of each other. Relaxed: it orders nothing.
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
