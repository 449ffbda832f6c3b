// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/sysgroup/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>
#include <new>
#include <string>

#include "message/message.hpp"
#include "native/quirks.hpp"
#include "ranks/mpi_error.hpp"
#include "shm/traffic.hpp"
#include "team/detours.hpp"
#include "team/registry.hpp"
#include "team/thread_state.hpp"

namespace helper::groups::sysgroup::pending {

namespace {

/// The outcome of an operation, which is freed together with the operation's request.
struct Outcome {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  team::Exceptions raised = 0;
  // Set once, after `code` and `raised` (release), before the request completes. Waiters load it (acquire).
  std::atomic<bool> is_over{false};
};

struct PendingSweep {
  std::unique_ptr<Sweep> sweep;
  Outcome* outcome;
  team::ThreadState state = team::ThreadState::own(); // of the thread that has started the operation
};

/// The operations of the process that have not finished.
struct PendingSweeps {
  std::mutex mutex; // guards the member and the operations; the thread that advances them holds it
  // All operations work with this member, whichever thread advances them.
  team::Team team{team::Team::solo, 1, team::Waiting{}};
  team::Member& member = team.add();
  std::list<PendingSweep> operations;
  // The number of operations. Changed with the mutex held, read without it as a hint: relaxed.
  std::atomic<int> count{0};
};

/// Returns the pending operations. They are never destroyed: threads may communicate until the process ends.
PendingSweeps& all_pending() {
  static auto* const instance = new PendingSweeps;
  return *instance;
}

/// Advances an operation. Returns whether it has finished, successfully or not.
bool go_on(PendingSweep& operation) noexcept {
  const team::InState in_state(operation.state);
  try {
    const bool is_over = operation.sweep->group().channel().carry([&] { return operation.sweep->advance(); });
    operation.outcome->raised |= in_state.raised();
    return is_over;
  } catch (const ranks::MpiError& error) {
    operation.outcome->code = error.code();
  } catch (const std::bad_alloc&) {
    operation.outcome->code = MPI_ERR_NO_MEM;
  } catch (...) { // another rank has given up
    operation.outcome->code = MPI_ERR_OTHER;
  }
  return true;
}

void complete(Outcome& outcome) noexcept {
  const MPI_Request request = outcome.request;
  outcome.is_over.store(true, std::memory_order_release);
  PMPI_Grequest_complete(request); // frees the outcome, if the program has freed the request
}

} // namespace

bool advance() noexcept {
  PendingSweeps& all = all_pending();
  if (all.count.load(std::memory_order_relaxed) == 0) return false;
  const std::unique_lock lock(all.mutex, std::try_to_lock);
  if (!lock) return false; // another thread advances them
  const team::StepOutside outside;
  bool completed = false;
  for (auto at = all.operations.begin(); at != all.operations.end();) {
    const auto is_of_group = [&](const PendingSweep& other) {
      return &other.sweep->group() == &at->sweep->group();
    };
    if (std::find_if(all.operations.begin(), at, is_of_group) != at || !go_on(*at)) {
      ++at;
      continue;
    }
    Outcome& outcome = *at->outcome;
    at = all.operations.erase(at);
    all.count.fetch_sub(1, std::memory_order_relaxed);
    team::detours::remove();
    complete(outcome);
    completed = true;
  }
  return completed;
}

namespace {

int query(void* outcome, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  team::raise_exceptions(static_cast<Outcome*>(outcome)->raised);
  return static_cast<Outcome*>(outcome)->code;
}

int free_outcome(void* outcome) {
  delete static_cast<Outcome*>(outcome);
  return MPI_SUCCESS;
}

/// A collective operation cannot be cancelled.
int cancel(void*, int) {
  return MPI_SUCCESS;
}

#ifdef MPI_HELPER_POLLS_GENERALISED // quirk does_not_poll_generalised
int poll(void*, MPI_Status*) {
  advance();
  return MPI_SUCCESS;
}

int wait(int count, void** outcomes, double, MPI_Status*) {
  team::alone().lend_until(
      [&] {
        advance();
        return std::all_of(outcomes, outcomes + count, [](void* outcome) {
          return static_cast<Outcome*>(outcome)->is_over.load(std::memory_order_acquire);
        });
      },
      [] { return std::string("waits for a non-blocking operation on a system-ranked group"); },
      team::Woken::perhaps);
  return MPI_SUCCESS;
}
#endif

/// Starts a generalised request. From now on functions that test or complete requests advance the operations
/// outside phases too: not all MPIs do (quirk does_not_poll_generalised), none in MPI_Request_get_status.
int start_request(Outcome* outcome, MPI_Request* request) {
  message::act_outside();
#ifdef MPI_HELPER_POLLS_GENERALISED
  return MPIX_Grequest_start(query, free_outcome, cancel, poll, wait, outcome, request);
#else
  return PMPI_Grequest_start(query, free_outcome, cancel, outcome, request);
#endif
}

/// Adds the operation `sweep` and returns its request. The caller holds the mutex.
MPI_Request add(std::unique_ptr<Sweep> sweep) {
  PendingSweeps& all = all_pending();
  auto outcome = std::make_unique<Outcome>();
  all.operations.push_back({.sweep = std::move(sweep), .outcome = outcome.get()});
  shm::traffic::begin(); // like for any request; the functions that complete it count its end
  if (const int code = start_request(outcome.get(), &outcome->request); code != MPI_SUCCESS) {
    shm::traffic::end(1);
    all.operations.pop_back();
    throw ranks::MpiError(MPI_COMM_NULL, code);
  }
  all.count.fetch_add(1, std::memory_order_relaxed);
  team::detours::add(); // so that MPI_Test advances it
  return outcome.release()->request;
}

} // namespace

void make() {
  static_cast<void>(all_pending());
}

void begin(std::shared_ptr<const Sysgroup> group, const Sweep::SweepCall& call, MPI_Request* request) {
  PendingSweeps& all = all_pending();
  {
    const std::lock_guard lock(all.mutex);
    *request = add(std::make_unique<Sweep>(all.member, std::move(group), call));
  }
  advance();
}

void settle(const Sysgroup& group, team::Member& member) {
  PendingSweeps& all = all_pending();
  if (all.count.load(std::memory_order_relaxed) == 0) return;
  member.lend_until(
      [&] {
        advance();
        const std::lock_guard lock(all.mutex);
        return std::ranges::none_of(all.operations, [&](const PendingSweep& operation) {
          return &operation.sweep->group() == &group;
        });
      },
      [] { return std::string("waits for earlier non-blocking operations on a system-ranked group"); },
      team::Woken::perhaps);
}

} // namespace helper::groups::sysgroup::pending
