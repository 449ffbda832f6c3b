// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Completes requests, some of which have operations.

#include <cstddef>

#include "message/given_requests.hpp"
#include "message/message.hpp"
#include "message/quick.hpp"
#include "message/requests.hpp"
#include "message/wait.hpp"
#include "ranks/arguments.hpp"
#include "ranks/mpi_error.hpp"
#include "shm/traffic.hpp"
#include "team/detours.hpp"

namespace helper::message {

namespace {

/// Completes a request whose operation is complete. May raise a SIGFPE of the operation, and so never return.
Code finish(NonblockingOperation& operation, MPI_Request* request, MPI_Status* status) {
  MPI_Status result;
  requests::forget(operation);
  const Code code = operation.finish(*request, result);
  give(status, result);
  operation.raise();
  return code;
}

/// Calls finish() and reports errors as MPI does for functions that name no communicator, such as MPI_Wait.
int finish_one(NonblockingOperation& operation, MPI_Request* request, MPI_Status* status) {
  return reported_to(MPI_COMM_NULL, [&] { return finish(operation, request, status); });
}

bool carry_on(team::Member& member, NonblockingOperation& operation, MPI_Request* request) {
  return requests::carried_on([&] { return operation.carry_on(member); }, operation, request);
}

/// Completes the requests whose operations are complete. MPI has already completed the native requests, with
/// code `native`. Stores the status of request k in `statuses[place(k)]`. Returns the call's result code.
template <class Place>
int finish_complete(const GivenRequests& all, MPI_Request* requests, int native, MPI_Status* statuses,
                    const Place& place) {
  const bool are_ignored = statuses == MPI_STATUSES_IGNORE;
  bool have_failed = false;
  bool are_unreported = false;
  for (int at = 0; NonblockingOperation* const operation = all.next_complete(at); ++at) {
    MPI_Status status{};
    const Code code = finish(*operation, &requests[at], &status);
    if (code.code != MPI_SUCCESS) (code.is_own ? are_unreported : have_failed) = true;
    status.MPI_ERROR = code.code;
    const int index = place(at);
    if (!are_ignored) statuses[index] = status;
  }
  if (native != MPI_SUCCESS) return native;
  if (are_unreported) throw ranks::MpiError(ranks::unnamed_comm(), MPI_ERR_IN_STATUS);
  return have_failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

/// Does what MPI_Test does, for a request that is passed to MPI even if it has an operation.
int test_given(team::Member& member, MPI_Request* request, int* flag, MPI_Status* status) {
  const MPI_Request name = *request;
  MPI_Status own;
  MPI_Status* const stored = status == MPI_STATUS_IGNORE ? &own : status;
  const int code = PMPI_Test(request, flag, stored);
  if (*request == name) return code;
  const auto operation = requests::take(name, code, *stored);
  if (operation == nullptr) return code;
  *flag = 0;
  return requests::go_on(member, operation, *request);
}

/// Returns whether the first request with an operation still awaits its message. Then not all are complete.
bool is_receive_pending(team::Member& member, int count, const MPI_Request* requests) {
  if (!may_give_receives()) return false;
  for (int at = 0; at < count; ++at) {
    const auto operation = requests::find(&requests[at]);
    if (operation == nullptr) continue;
    return operation->awaits_first() && !operation->carry_on_unpolled(member) && operation->awaits_first();
  }
  return false;
}

/// Does what MPI_Testany does.
int complete_any(team::Member& member, GivenRequests& all, int count, MPI_Request* requests, int* index,
                 int* flag, MPI_Status* status) {
  MPI_Status own;
  MPI_Status* const stored = status == MPI_STATUS_IGNORE && all.gives_receives() ? &own : status;
  for (const int before = *flag;; *flag = before) {
    all.advance(member);
    int at = 0;
    if (NonblockingOperation* const operation = all.next_complete(at)) {
      *flag = 1;
      *index = at;
      return finish_one(*operation, &requests[at], status);
    }
    *index = MPI_UNDEFINED;
    const int code = all.natively(
        [&](MPI_Request* natives) { return testany_natively(count, natives, index, flag, stored); });
    if (code != MPI_SUCCESS || *flag < 0) all.settle_all(code == MPI_SUCCESS ? MPI_ERR_OTHER : code);
    if (code != MPI_SUCCESS) return code;
    if (*index != MPI_UNDEFINED && all.settle_one(member, *index, *stored)) return code;
    if (*index != MPI_UNDEFINED) continue; // the operation of this request continues
    if (all.is_active() && *flag != 0) {
      *flag = 0;
      shm::traffic::poll(); // MPI has got no active request, and so has made no progress
    }
    return code;
  }
}

/// Does what MPI_Testsome does. If MPI gets receives, it must set their statuses, even if the caller ignores
/// them.
int complete_some(team::Member& member, GivenRequests& all, int count, MPI_Request* requests, int* completed,
                  int* indices, MPI_Status* statuses) {
  const bool has_own = statuses == MPI_STATUSES_IGNORE && all.gives_receives();
  Several<MPI_Status, 32> own(has_own ? static_cast<std::size_t>(count) : 0);
  MPI_Status* const stored = has_own ? own.data() : statuses;
  *completed = 0;
  const int code = all.natively(
      [&](MPI_Request* natives) { return PMPI_Testsome(count, natives, completed, indices, stored); });
  if (!has_completed(code)) {
    all.settle_all(code);
    return code;
  }
  if (*completed == MPI_UNDEFINED) {
    if (all.is_active()) {
      *completed = 0;
      shm::traffic::poll(); // MPI has got no active request, and so has made no progress
    }
  } else {
    if (code == MPI_SUCCESS) set_no_errors(*completed, stored);
    *completed = all.settle_some(member, *completed, indices, stored);
  }
  all.advance(member);
  return finish_complete(all, requests, code, statuses, [&](int at) {
    indices[*completed] = at;
    return (*completed)++;
  });
}

/// Does what test_one() does, for an eager receive.
int test_eager(team::Member& member, const EagerReceive& receive, MPI_Request* request, MPI_Status* status,
               int* done, MPI_Comm comm) {
  const MPI_Request name = *request;
  MPI_Status arrived;
  int code = reported_to(comm, [&] { return Code{PMPI_Test(request, done, &arrived)}; });
  if (*request != MPI_REQUEST_NULL) { // MPI has not completed it
    requests::keep(name, receive);
    receive.release();
    return code;
  }
  if (code == MPI_SUCCESS)
    code = requests::resume(member, receive, arrived, *request, comm);
  else
    receive.release();
  if (*request != MPI_REQUEST_NULL) { // its message is an RTS: an operation continues
    *done = 0;
    return code;
  }
  give(status, arrived);
  return code;
}

} // namespace

int testany_natively(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  const int code = PMPI_Testany(count, requests, index, flag, status);
  return code == MPI_SUCCESS && *flag > 0 && *index == MPI_UNDEFINED ? give_empty(status) : code;
}

std::size_t bytes_left(int count, const MPI_Request* requests) {
  if (requests == nullptr || !requests::any()) return 0;
  std::size_t bytes = 0;
  for (int at = 0; at < count; ++at) {
    if (const auto operation = requests::find(&requests[at])) bytes += operation->left();
  }
  return bytes;
}

std::optional<int> wait(team::Member& member, MPI_Request* request, MPI_Status* status) {
  if (!ranks::valid_status(status)) return std::nullopt;
  if (request != nullptr && eager_receives::has(*request))
    return complete(member, request, status, "MPI_Wait", MPI_COMM_NULL);
  const auto operation = requests::find(request);
  if (operation == nullptr) {
    if (request == nullptr || !persistent::is_unknown_to_mpi(*request)) return std::nullopt;
    return give_empty(status);
  }
  member.lend_until([&] { return carry_on(member, *operation, request); },
                    [&] { return describe_wait(member, "MPI_Wait", MPI_COMM_NULL); }, team::Woken::by_mpi);
  return finish_one(*operation, request, status);
}

std::optional<int> test(team::Member& member, MPI_Request* request, int* flag, MPI_Status* status) {
  requests::advance_in_passing(member);
  if (flag == nullptr || !may_be_ours(1, request) || !ranks::valid_status(status)) return std::nullopt;
  if (may_give_receives() && !may_be_withheld(*request)) return test_given(member, request, flag, status);
  return test_one(member, request, status, flag, MPI_COMM_NULL);
}

std::optional<int> waitall(team::Member& member, int count, MPI_Request* requests, MPI_Status* statuses) {
  if (!may_be_ours(count, requests) || !any_ours(count, requests)) return std::nullopt;
  return wait_for_all(member, count, requests, statuses);
}

// Tests one request after the other: quirk testall_fails_on_partitioned.
std::optional<int> wait_for_all(team::Member& member, int count, MPI_Request* requests,
                                MPI_Status* statuses) {
  if (count < 0 || requests == nullptr || !ranks::valid_status(statuses)) return std::nullopt;
  int result = MPI_SUCCESS;
  int next = 0;
  wait_until(member, "MPI_Waitall", MPI_COMM_NULL, [&](int* flag) {
    for (int done = 1; next < count && done != 0; next += done) {
      MPI_Status status_of_next;
      MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? &status_of_next : &statuses[next];
      const int code = team::detours::any() ? test_one(member, &requests[next], status, &done, MPI_COMM_NULL)
                                            : test_given(member, &requests[next], &done, status);
      if (code != MPI_SUCCESS) {
        done = 1;
        result = quick::detail::fail(code, count, next);
        if (next == count) break;
      }
      if (done != 0) status->MPI_ERROR = code;
    }
    *flag = next >= count;
    return MPI_SUCCESS;
  });
  return result;
}

std::optional<int> testall(team::Member& member, int count, MPI_Request* requests, int* flag,
                           MPI_Status* statuses) {
  requests::advance_in_passing(member);
  if (flag == nullptr || !ranks::valid_status(statuses)) return std::nullopt;
  if (!may_be_ours(count, requests)) return std::nullopt;
  *flag = 0;
  if (is_receive_pending(member, count, requests)) return MPI_SUCCESS;
  GivenRequests all(count, requests, Given::natives);
  if (!all.advance(member)) {
    shm::traffic::poll();
    return MPI_SUCCESS;
  }
  const int code =
      all.natively([&](MPI_Request* natives) { return PMPI_Testall(count, natives, flag, statuses); });
  if (*flag == 0 || !has_completed(code)) return code;
  if (code == MPI_SUCCESS) set_no_errors(count, statuses);
  return finish_complete(all, requests, code, statuses, [](int at) { return at; });
}

std::optional<int> testany(team::Member& member, int count, MPI_Request* requests, int* index, int* flag,
                           MPI_Status* status) {
  requests::advance_in_passing(member);
  if (index == nullptr || flag == nullptr || !ranks::valid_status(status)) return std::nullopt;
  GivenRequests all(count, requests, Given::receives);
  if (all.all_native()) return std::nullopt;
  return complete_any(member, all, count, requests, index, flag, status);
}

std::optional<int> waitany(team::Member& member, int count, MPI_Request* requests, int* index,
                           MPI_Status* status) {
  if (index == nullptr || !ranks::valid_status(status)) return std::nullopt;
  GivenRequests all(count, requests, Given::receives);
  if (all.all_native()) return std::nullopt;
  return wait_until(member, "MPI_Waitany", MPI_COMM_NULL, [&](int* flag) {
    return complete_any(member, all, count, requests, index, flag, status);
  });
}

std::optional<int> testsome(team::Member& member, int count, MPI_Request* requests, int* completed,
                            int* indices, MPI_Status* statuses) {
  requests::advance_in_passing(member);
  if (!valid_places(completed, indices, statuses)) return std::nullopt;
  GivenRequests all(count, requests, Given::receives);
  if (all.all_native()) return std::nullopt;
  return complete_some(member, all, count, requests, completed, indices, statuses);
}

std::optional<int> waitsome(team::Member& member, int count, MPI_Request* requests, int* completed,
                            int* indices, MPI_Status* statuses) {
  if (!valid_places(completed, indices, statuses)) return std::nullopt;
  GivenRequests all(count, requests, Given::receives);
  if (all.all_native()) return std::nullopt;
  return wait_until(member, "MPI_Waitsome", MPI_COMM_NULL, [&](int* flag) {
    const int code = complete_some(member, all, count, requests, completed, indices, statuses);
    *flag = *completed != 0 ? 1 : 0;
    return code;
  });
}

int test_one(team::Member& member, MPI_Request* request, MPI_Status* status, int* done, MPI_Comm comm) {
  if (const auto receive = eager_receives::take(*request))
    return test_eager(member, *receive, request, status, done, comm);
  const auto operation = requests::find(request);
  return reported_to(comm, [&] {
    if (operation == nullptr && persistent::is_unknown_to_mpi(*request)) {
      *done = 1;
      return Code{give_empty(status)};
    }
    if (operation == nullptr) return Code{PMPI_Test(request, done, status)};
    *done = carry_on(member, *operation, request) ? 1 : 0;
    return *done != 0 ? finish(*operation, request, status) : Code{MPI_SUCCESS};
  });
}

} // namespace helper::message
