// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// This file completes requests of which some have operations.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "message/message.hpp"
#include "message/operation.hpp"
#include "message/wait.hpp"
#include "team/on_jump.hpp"
#include "transport/arguments.hpp"
#include "transport/mpi_error.hpp"
#include "transport/traffic.hpp"
#include "transport/world.hpp"

namespace helper::message {

namespace {

/// Completes a request whose operation is complete. The handler of a SIGFPE that this raises may not return.
Code finish(NonblockingOperation& operation, MPI_Request* request, MPI_Status* status) {
  MPI_Status result;
  requests::forget(*request, operation);
  const Code code = operation.finish(*request, result);
  give(status, result);
  operation.raise();
  return code;
}

/// Does what finish() does, and reports errors, for functions of one request, which name no communicator.
int finish_one(NonblockingOperation& operation, MPI_Request* request, MPI_Status* status) {
  return reported_to(MPI_COMM_NULL, [&] { return finish(operation, request, status); });
}

/// Tells whether there is any request of which MPI cannot say whether it is complete.
bool any_ours() {
  return requests::any() || persistent::any_unknown_to_mpi();
}

/// Tells whether MPI cannot say whether a request is complete, or what it is.
bool is_ours(const MPI_Request& request) {
  return eager_receives::has(request) ||
         (any_ours() && (requests::find(&request) != nullptr || persistent::is_unknown_to_mpi(request)));
}

bool any_ours(int count, const MPI_Request* requests) {
  return requests != nullptr && std::any_of(requests, requests + std::max(count, 0), is_ours);
}

/// Completes an inactive request, which remains what it is.
int give_empty(MPI_Status* status) noexcept {
  return status == MPI_STATUS_IGNORE ? MPI_SUCCESS : make_empty(*status);
}

/// The errors of a call that completes several requests. MPI gives an error handler one error, when all
/// statuses are set, but the library completes one request after the other. So errors are returned meanwhile,
/// where the program has made an error handler, and MPI can be kept from calling it (see ErrorsReturn).
class ErrorsOfSeveral {
public:
  ErrorsOfSeveral() {
    if (team::OnJump::may_happen()) returned_.emplace(transport::world::comm());
  }

  /// Reports the code of the call, unless its errors have been reported, and returns it.
  int report(int code) {
    const bool is_unreported = returned_ && returned_->is_set();
    returned_.reset();
    if (is_unreported && code != MPI_SUCCESS) transport::report_to(transport::unnamed_comm(), code);
    return code;
  }

private:
  std::optional<ErrorsReturn> returned_;
};

/// Calls `carry_on()` of the operation of `*request`. What the program's error handler throws there passes
/// when the request is completed, as in MPI.
template <class CarryOn>
bool carried_on(const CarryOn& carry_on, NonblockingOperation& operation, MPI_Request* request) {
  try {
    return carry_on();
  } catch (...) {
    if (operation.complete()) {
      requests::forget(*request, operation);
      operation.finish_quietly(*request);
    }
    throw;
  }
}

bool carry_on(team::Member& member, NonblockingOperation& operation, MPI_Request* request) {
  return carried_on([&] { return operation.carry_on(member); }, operation, request);
}

/// The requests of a call, of which some have operations or are inactive and unknown to MPI. MPI is given
/// them with MPI_REQUEST_NULL in the place of those, which it leaves out.
class Requests {
public:
  Requests(int count, MPI_Request* requests) : requests_(requests) {
    if (!any_ours(count, requests)) return;
    natives_.assign(requests, requests + count);
    for (MPI_Request& native : natives_) {
      const bool is_active = operations_.emplace_back(requests::operation_of(&native)) != nullptr;
      is_active_ = is_active_ || is_active;
      given_.push_back(!is_active && !persistent::is_unknown_to_mpi(native));
      if (!given_.back()) native = MPI_REQUEST_NULL;
    }
  }

  bool all_native() const { return operations_.empty(); }

  /// Tells whether any has an operation.
  bool is_active() const { return is_active_; }

  /// What MPI is given.
  MPI_Request* natives() { return natives_.data(); }

  /// Does what can be done for the operations. MPI need not make progress. Returns whether all are complete.
  bool advance(team::Member& member) {
    bool all = true;
    for (std::size_t at = 0; at < operations_.size(); ++at) {
      const auto& operation = operations_[at];
      const auto carry_on = [&] { return operation->carry_on_unpolled(member); };
      all = (!operation || carried_on(carry_on, *operation, &requests_[at])) && all;
    }
    return all;
  }

  /// Calls `native(requests)`, which completes requests, for those without operations. Returns its code.
  template <class Native>
  int natively(const Native& native) {
    const team::JumpSafe<GiveBack> give_back(*this);
    return native(natives_.data());
  }

  /// The first complete operation from index `at` on, which becomes its index; nullptr if there is none.
  NonblockingOperation* next_complete(int& at) const {
    for (; at < static_cast<int>(operations_.size()); ++at) {
      const auto& operation = operations_[static_cast<std::size_t>(at)];
      if (operation && operation->complete()) return operation.get();
    }
    return nullptr;
  }

private:
  /// Stores what MPI has made of the requests, also where an error handler leaves it.
  class GiveBack {
  public:
    explicit GiveBack(Requests& all) : all_(all) {}
    ~GiveBack() {
      for (std::size_t at = 0; at < all_.natives_.size(); ++at)
        if (all_.given_[at]) all_.requests_[at] = all_.natives_[at];
    }
    GiveBack(const GiveBack&) = delete;
    GiveBack& operator=(const GiveBack&) = delete;

  private:
    Requests& all_;
  };

  MPI_Request* requests_;
  std::vector<std::shared_ptr<NonblockingOperation>> operations_; // by index, nullptr for a native request
  std::vector<MPI_Request> natives_;                              // by index
  std::vector<bool> given_;                                       // by index: MPI is given it
  bool is_active_ = false;
};

/// Whether a native call that returned `code` has completed requests, of which some may have failed.
bool has_completed(int code) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(code, &error_class);
  return error_class == MPI_SUCCESS || error_class == MPI_ERR_IN_STATUS;
}

/// Completes the complete operations of a call whose native requests have been completed with `native`, MPI's
/// code. Operation k of these has the status `statuses[place(k)]`, where k is its index in the call. The
/// other statuses, of which there are `count`, are native ones. Returns the result code.
template <class Place>
int finish_complete(const Requests& all, MPI_Request* requests, int native, MPI_Status* statuses, int count,
                    const Place& place) {
  const bool are_ignored = statuses == MPI_STATUSES_IGNORE;
  if (native == MPI_SUCCESS && !are_ignored) // MPI has not set the errors
    std::for_each_n(statuses, count, [](MPI_Status& status) { status.MPI_ERROR = MPI_SUCCESS; });
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
  if (are_unreported) throw transport::MpiError(transport::unnamed_comm(), MPI_ERR_IN_STATUS);
  return have_failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
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
  if (!transport::valid_status(status)) return std::nullopt;
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
  if (!any_ours(1, request) || flag == nullptr || !transport::valid_status(status)) return std::nullopt;
  return test_one(member, request, status, flag, MPI_COMM_NULL);
}

std::optional<int> waitall(team::Member& member, int count, MPI_Request* requests, MPI_Status* statuses) {
  if (!any_ours(count, requests)) return std::nullopt;
  return wait_for_all(member, count, requests, statuses);
}

// It tests one after the other: MPICH 4.0.2's MPI_Testall fails on partitioned requests.
std::optional<int> wait_for_all(team::Member& member, int count, MPI_Request* requests,
                                MPI_Status* statuses) {
  if (count < 0 || requests == nullptr || !transport::valid_status(statuses)) return std::nullopt;
  team::JumpSafe<ErrorsOfSeveral> errors;
  int result = MPI_SUCCESS;
  int next = 0;
  wait_until(member, "MPI_Waitall", MPI_COMM_NULL, [&](int* flag) {
    for (int done = 1; next < count && done != 0; next += done) {
      MPI_Status status_of_next;
      MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? &status_of_next : &statuses[next];
      const int code = test_one(member, &requests[next], status, &done, MPI_COMM_NULL);
      if (code != MPI_SUCCESS) {
        result = MPI_ERR_IN_STATUS;
        done = 1;
        int error_class = MPI_SUCCESS;
        PMPI_Error_class(code, &error_class);
        if (error_class == MPI_ERR_REQUEST) { // no request: native MPI looks at none further
          result = code;
          next = count;
          break;
        }
      }
      if (done != 0) status->MPI_ERROR = code;
    }
    *flag = next >= count;
    return MPI_SUCCESS;
  });
  return errors->report(result);
}

std::optional<int> testall(team::Member& member, int count, MPI_Request* requests, int* flag,
                           MPI_Status* statuses) {
  requests::advance_in_passing(member);
  if (flag == nullptr || !transport::valid_status(statuses)) return std::nullopt;
  Requests all(count, requests);
  if (all.all_native()) return std::nullopt;
  team::JumpSafe<ErrorsOfSeveral> errors;
  *flag = 0;
  if (!all.advance(member)) {
    transport::traffic::poll();
    return MPI_SUCCESS;
  }
  const int code =
      all.natively([&](MPI_Request* natives) { return PMPI_Testall(count, natives, flag, statuses); });
  if (*flag == 0 || !has_completed(code)) return errors->report(code);
  return errors->report(finish_complete(all, requests, code, statuses, count, [](int at) { return at; }));
}

namespace {

/// Does what MPI_Testany does.
int complete_any(team::Member& member, Requests& all, int count, MPI_Request* requests, int* index, int* flag,
                 MPI_Status* status) {
  all.advance(member);
  int at = 0;
  if (NonblockingOperation* const operation = all.next_complete(at)) {
    *flag = 1;
    *index = at;
    return finish_one(*operation, &requests[at], status);
  }
  *index = MPI_UNDEFINED;
  const int code = all.natively(
      [&](MPI_Request* natives) { return testany_natively(count, natives, index, flag, status); });
  if (*index == MPI_UNDEFINED && all.is_active() && *flag != 0) {
    *flag = 0;
    transport::traffic::poll(); // MPI, to which no request is active, has made no progress
  }
  return code;
}

/// Does what MPI_Testsome does.
int complete_some(team::Member& member, Requests& all, int count, MPI_Request* requests, int* completed,
                  int* indices, MPI_Status* statuses) {
  *completed = 0;
  const int code = all.natively(
      [&](MPI_Request* natives) { return PMPI_Testsome(count, natives, completed, indices, statuses); });
  if (!has_completed(code)) return code;
  if (*completed == MPI_UNDEFINED && all.is_active()) {
    *completed = 0;
    transport::traffic::poll(); // MPI, to which no request is active, has made no progress
  }
  all.advance(member);
  return finish_complete(all, requests, code, statuses, *completed, [&](int at) {
    indices[*completed] = at;
    return (*completed)++;
  });
}

bool valid_places(const int* completed, const int* indices, const MPI_Status* statuses) {
  return completed != nullptr && indices != nullptr && transport::valid_status(statuses);
}

} // namespace

std::optional<int> testany(team::Member& member, int count, MPI_Request* requests, int* index, int* flag,
                           MPI_Status* status) {
  requests::advance_in_passing(member);
  if (index == nullptr || flag == nullptr || !transport::valid_status(status)) return std::nullopt;
  Requests all(count, requests);
  if (all.all_native()) return std::nullopt;
  team::JumpSafe<ErrorsOfSeveral> errors;
  return errors->report(complete_any(member, all, count, requests, index, flag, status));
}

std::optional<int> waitany(team::Member& member, int count, MPI_Request* requests, int* index,
                           MPI_Status* status) {
  if (index == nullptr || !transport::valid_status(status)) return std::nullopt;
  Requests all(count, requests);
  if (all.all_native()) return std::nullopt;
  team::JumpSafe<ErrorsOfSeveral> errors;
  return errors->report(wait_until(member, "MPI_Waitany", MPI_COMM_NULL, [&](int* flag) {
    return complete_any(member, all, count, requests, index, flag, status);
  }));
}

std::optional<int> testsome(team::Member& member, int count, MPI_Request* requests, int* completed,
                            int* indices, MPI_Status* statuses) {
  requests::advance_in_passing(member);
  if (!valid_places(completed, indices, statuses)) return std::nullopt;
  Requests all(count, requests);
  if (all.all_native()) return std::nullopt;
  team::JumpSafe<ErrorsOfSeveral> errors;
  return errors->report(complete_some(member, all, count, requests, completed, indices, statuses));
}

std::optional<int> waitsome(team::Member& member, int count, MPI_Request* requests, int* completed,
                            int* indices, MPI_Status* statuses) {
  if (!valid_places(completed, indices, statuses)) return std::nullopt;
  Requests all(count, requests);
  if (all.all_native()) return std::nullopt;
  team::JumpSafe<ErrorsOfSeveral> errors;
  return errors->report(wait_until(member, "MPI_Waitsome", MPI_COMM_NULL, [&](int* flag) {
    const int code = complete_some(member, all, count, requests, completed, indices, statuses);
    *flag = *completed != 0 ? 1 : 0;
    return code;
  }));
}

namespace {

/// Does what test_one() does for an eager receive.
int test_eager(const EagerReceive& receive, MPI_Request* request, MPI_Status* status, int* done,
               MPI_Comm comm) {
  const MPI_Request name = *request;
  MPI_Status arrived;
  int code = reported_to(comm, [&] { return Code{PMPI_Test(request, done, &arrived)}; });
  if (*request != MPI_REQUEST_NULL) { // it is under way
    if (!eager_receives::put(name, receive)) requests::track(name, receive);
    return code;
  }
  if (code == MPI_SUCCESS) code = requests::resume(receive, arrived, *request, comm);
  if (*request != MPI_REQUEST_NULL) { // it goes on
    *done = 0;
    return code;
  }
  give(status, arrived);
  return code;
}

} // namespace

int test_one(team::Member& member, MPI_Request* request, MPI_Status* status, int* done, MPI_Comm comm) {
  if (const auto receive = eager_receives::take(*request))
    return test_eager(*receive, request, status, done, comm);
  if (!any_ours()) return reported_to(comm, [&] { return Code{PMPI_Test(request, done, status)}; });
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

std::optional<int> request_get_status(team::Member& member, MPI_Request request, int* flag,
                                      MPI_Status* status) {
  member.attend(); // MPICH's function does not poll what generalised requests stand for
  const auto operation = requests::operation_of(&request);
  if (flag == nullptr || !transport::valid_status(status)) return std::nullopt;
  if (operation == nullptr) {
    if (!persistent::is_unknown_to_mpi(request)) return std::nullopt;
    *flag = 1;
    return give_empty(status);
  }
  *flag = operation->carry_on(member) ? 1 : 0;
  if (*flag == 0) return MPI_SUCCESS;
  MPI_Status result;
  const int code = reported_to(MPI_COMM_NULL, [&] { return operation->result(result); });
  if (status != MPI_STATUS_IGNORE) *status = result;
  return code;
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)

namespace {

/// Looks at a request of either kind, as MPI_Request_get_status does.
int look_at(team::Member& member, MPI_Request request, int* flag, MPI_Status* status) {
  const std::optional<int> code = request_get_status(member, request, flag, status);
  return code ? *code : PMPI_Request_get_status(request, flag, status);
}

/// Returns those of the requests that have operations and those that have none. Nothing is completed, so that
/// they remain as they are.
Requests to_look_at(int count, const MPI_Request* requests) {
  return {count, const_cast<MPI_Request*>(requests)};
}

} // namespace

std::optional<int> request_get_status_all(team::Member& member, int count, const MPI_Request* requests,
                                          int* flag, MPI_Status* statuses) {
  member.attend();
  if (!any_ours(count, requests) || flag == nullptr || !transport::valid_status(statuses))
    return std::nullopt;
  *flag = 1;
  int result = MPI_SUCCESS;
  for (int at = 0; at < count && *flag != 0; ++at) {
    MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[at];
    const int code = look_at(member, requests[at], flag, status);
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = code;
    if (code != MPI_SUCCESS) result = MPI_ERR_IN_STATUS;
  }
  return result;
}

std::optional<int> request_get_status_any(team::Member& member, int count, const MPI_Request* requests,
                                          int* index, int* flag, MPI_Status* status) {
  member.attend();
  if (index == nullptr || flag == nullptr || !transport::valid_status(status)) return std::nullopt;
  Requests all = to_look_at(count, requests);
  if (all.all_native()) return std::nullopt;
  all.advance(member);
  int at = 0;
  if (all.next_complete(at) != nullptr) {
    *index = at;
    return look_at(member, requests[at], flag, status);
  }
  const int code = PMPI_Request_get_status_any(count, all.natives(), index, flag, status);
  if (*index == MPI_UNDEFINED && all.is_active() && *flag != 0) {
    *flag = 0;
    transport::traffic::poll();
  }
  return code;
}

std::optional<int> request_get_status_some(team::Member& member, int count, const MPI_Request* requests,
                                           int* completed, int* indices, MPI_Status* statuses) {
  member.attend();
  if (!valid_places(completed, indices, statuses)) return std::nullopt;
  Requests all = to_look_at(count, requests);
  if (all.all_native()) return std::nullopt;
  *completed = 0;
  int result = PMPI_Request_get_status_some(count, all.natives(), completed, indices, statuses);
  if (!has_completed(result)) return result;
  if (*completed == MPI_UNDEFINED && all.is_active()) {
    *completed = 0;
    transport::traffic::poll();
  }
  all.advance(member);
  for (int at = 0; all.next_complete(at) != nullptr; ++at) {
    const int place = (*completed)++;
    indices[place] = at;
    MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[place];
    int flag = 0;
    const int code = look_at(member, requests[at], &flag, status);
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = code;
    if (code != MPI_SUCCESS) result = MPI_ERR_IN_STATUS;
  }
  return result;
}

#endif

std::optional<int> request_free(team::Member& member, MPI_Request* request) {
  const auto operation = requests::operation_of(request);
  if (operation == nullptr) return std::nullopt;
  operation->detach();
  requests::advance(member, *request, *operation);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

std::optional<int> cancel(team::Member&, MPI_Request* request) {
  const auto operation = requests::find(request);
  if (operation == nullptr) return std::nullopt;
  return operation->cancel();
}

} // namespace helper::message
