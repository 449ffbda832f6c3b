// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/sysgroup/pending.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "message/message.hpp"
#include "team/registry.hpp"
#include "transport/mpi_error.hpp"
#include "transport/traffic.hpp"

namespace helper::groups::sysgroup::pending {

namespace {

/// What a request tells of its operation; MPI has it freed with the request.
struct Outcome {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  // Set once, before the request is completed: with release, after `code`.
  std::atomic<bool> is_over{false};
};

struct Operation {
  std::unique_ptr<Sweep> sweep;
  Outcome* outcome;
};

/// Never destroyed: threads may communicate until the process ends.
struct State {
  std::mutex mutex; // guards the member and the operations; held by who goes on with them
  // All operations work with it, whichever thread it is that does.
  team::Team team{team::Team::solo, 1, team::Waiting{}};
  team::Member& member = team.add();
  std::list<Operation> operations;
  // How many there are: changed with the mutex held, read without it. A hint; orders nothing.
  std::atomic<int> count{0};
};

State& state() {
  static auto* const instance = new State;
  return *instance;
}

/// Whether it is over, well or not.
bool go_on(Operation& operation) noexcept {
  try {
    return operation.sweep->group().channel().carry([&] { return operation.sweep->advance(); });
  } catch (const transport::MpiError& error) {
    operation.outcome->code = error.code();
  } catch (const std::bad_alloc&) {
    operation.outcome->code = MPI_ERR_NO_MEM;
  } catch (const std::exception&) { // another rank gave up
    operation.outcome->code = MPI_ERR_OTHER;
  }
  return true;
}

void complete(Outcome& outcome) noexcept {
  const MPI_Request request = outcome.request;
  outcome.is_over.store(true, std::memory_order_release);
  PMPI_Grequest_complete(request); // frees the outcome, if the program has freed the request
}

/// True if an operation was completed.
bool advance() noexcept {
  State& all = state();
  if (all.count.load(std::memory_order_relaxed) == 0) return false;
  const team::JumpSafe<std::unique_lock<std::mutex>> lock(all.mutex, std::try_to_lock);
  if (!*lock) return false; // somebody else does
  const team::JumpSafe<team::StepOutside> outside;
  bool completed = false;
  for (auto at = all.operations.begin(); at != all.operations.end();) {
    const auto is_of_group = [&](const Operation& other) {
      return &other.sweep->group() == &at->sweep->group();
    };
    if (std::find_if(all.operations.begin(), at, is_of_group) != at || !go_on(*at)) {
      ++at;
      continue;
    }
    Outcome& outcome = *at->outcome;
    at = all.operations.erase(at);
    all.count.fetch_sub(1, std::memory_order_relaxed);
    complete(outcome);
    completed = true;
  }
  return completed;
}

int query(void* outcome, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
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

#ifdef MPICH_NUMVERSION
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
      [] { return std::string("waits for a non-blocking operation on a system-ranked group"); });
  return MPI_SUCCESS;
}

int start_request(Outcome* outcome, MPI_Request* request) {
  return MPIX_Grequest_start(query, free_outcome, cancel, poll, wait, outcome, request);
}
#else
/// MPI does not ask for progress of its own accord: completion functions are to do so, outside of phases too.
int start_request(Outcome* outcome, MPI_Request* request) {
  message::act_outside();
  return PMPI_Grequest_start(query, free_outcome, cancel, outcome, request);
}
#endif

/// To the operations, which the caller has locked. Returns its request.
MPI_Request add(std::unique_ptr<Sweep> sweep) {
  State& all = state();
  auto outcome = std::make_unique<Outcome>();
  all.operations.push_back({std::move(sweep), outcome.get()});
  transport::traffic::begin(); // as any request, which the functions that complete it count as over
  if (const int code = start_request(outcome.get(), &outcome->request); code != MPI_SUCCESS) {
    transport::traffic::end(1);
    all.operations.pop_back();
    throw transport::MpiError(MPI_COMM_NULL, code);
  }
  all.count.fetch_add(1, std::memory_order_relaxed);
  return outcome.release()->request;
}

} // namespace

void start() {
  static_cast<void>(state()); // here, where memory may be short without harm
  team::add_background([](team::Member&) noexcept { return advance(); });
}

void begin(std::shared_ptr<const Group> group, const Call& call, MPI_Request* request) {
  State& all = state();
  {
    const std::lock_guard lock(all.mutex);
    *request = add(std::make_unique<Sweep>(all.member, std::move(group), call));
  }
  advance();
}

void settle(const Group& group, team::Member& member) {
  State& all = state();
  if (all.count.load(std::memory_order_relaxed) == 0) return;
  member.lend_until(
      [&] {
        advance();
        const std::lock_guard lock(all.mutex);
        return std::ranges::none_of(
            all.operations, [&](const Operation& operation) { return &operation.sweep->group() == &group; });
      },
      [] { return std::string("waits for earlier non-blocking operations on a system-ranked group"); });
}

} // namespace helper::groups::sysgroup::pending
