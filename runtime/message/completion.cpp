// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Completing requests of which some are the library's operations.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "message/message.hpp"
#include "message/operation.hpp"
#include "message/wait.hpp"
#include "transport/arguments.hpp"
#include "transport/mpi_error.hpp"
#include "transport/traffic.hpp"

namespace helper::message {

namespace {

/// Completes a request whose operation is complete.
Code finish(NonblockingOperation& operation, MPI_Request* request, MPI_Status* status) {
  MPI_Status result;
  requests::forget(*request, operation);
  const Code code = operation.finish(*request, result);
  give(status, result);
  return code;
}

/// As finish(), for functions of a single request, which name no communicator: errors are reported.
int finish_one(NonblockingOperation& operation, MPI_Request* request, MPI_Status* status) {
  return reported_to(MPI_COMM_NULL, [&] { return finish(operation, request, status); });
}

bool any_tracked(int count, const MPI_Request* requests) {
  return requests != nullptr && requests::any() &&
         std::any_of(requests, requests + std::max(count, 0),
                     [](const MPI_Request& request) { return requests::find(&request) != nullptr; });
}

/// The requests of a call, the library's operations apart from MPI's own.
class Sorted {
public:
  Sorted(int count, MPI_Request* requests) : requests_(requests) {
    if (!requests::any() || requests == nullptr) return;
    for (int i = 0; i < count; ++i) {
      if (auto operation = requests::find(&requests[i])) {
        operations_.push_back({std::move(operation), i});
      } else {
        native_.push_back(requests[i]);
        native_at_.push_back(i);
      }
    }
    native_statuses_.resize(native_.size());
  }

  bool all_native() const { return operations_.empty(); }

  struct Tracked {
    std::shared_ptr<NonblockingOperation> operation; // null once it is finished
    int at;
  };
  std::vector<Tracked>& operations() { return operations_; }

  /// Does what can be done for the operations; true if all are complete.
  bool advance(team::Member& member) {
    bool all = true;
    for (const Tracked& tracked : operations_) {
      all = tracked.operation->carry_on(member) && all;
    }
    return all;
  }

  int natives() const { return static_cast<int>(native_.size()); }
  MPI_Request* native() { return native_.data(); }
  MPI_Status* native_statuses() { return native_statuses_.data(); }
  int native_at(int index) const { return native_at_[static_cast<std::size_t>(index)]; }
  const MPI_Status& native_status(int index) const {
    return native_statuses_[static_cast<std::size_t>(index)];
  }

  /// Stores what MPI has made of its requests.
  void give_back() {
    for (std::size_t i = 0; i < native_.size(); ++i) requests_[native_at_[i]] = native_[i];
  }

private:
  MPI_Request* requests_;
  std::vector<Tracked> operations_;
  std::vector<MPI_Request> native_;
  std::vector<int> native_at_;
  std::vector<MPI_Status> native_statuses_;
};

/// The codes and statuses of several completions, as MPI_Waitall and its like return them.
class Completions {
public:
  explicit Completions(MPI_Status* statuses) : statuses_(statuses) {}

  void put(std::size_t at, const MPI_Status& status, Code result) {
    if (result.code != MPI_SUCCESS) (result.is_own ? unreported_ : failed_) = true;
    if (statuses_ == MPI_STATUSES_IGNORE) return;
    statuses_[at] = status;
    statuses_[at].MPI_ERROR = result.code;
  }

  /// `native` is the code of the native call, whose error MPI has reported.
  int code(int native) const {
    if (native != MPI_SUCCESS) return native;
    if (unreported_) throw transport::MpiError(MPI_COMM_WORLD, MPI_ERR_IN_STATUS);
    return failed_ ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
  }

private:
  MPI_Status* statuses_;
  bool failed_ = false;
  bool unreported_ = false;
};

/// The code of one of the requests of a native call that returned `code`.
Code code_of(int code, const MPI_Status& status) {
  return {code == MPI_ERR_IN_STATUS ? status.MPI_ERROR : code};
}

int finish_all(Sorted& sorted, MPI_Request* requests, MPI_Status* statuses, int native_code) {
  Completions results(statuses);
  sorted.give_back();
  int native_class = MPI_SUCCESS;
  PMPI_Error_class(native_code, &native_class);
  for (int i = 0; i < sorted.natives(); ++i) {
    const MPI_Status& status = sorted.native_status(i);
    results.put(static_cast<std::size_t>(sorted.native_at(i)), status, code_of(native_class, status));
  }
  for (auto& [operation, at] : sorted.operations()) {
    MPI_Status status;
    const Code code = finish(*operation, &requests[at], &status);
    results.put(static_cast<std::size_t>(at), status, code);
  }
  return results.code(native_code);
}

} // namespace

std::optional<int> wait(team::Member& member, MPI_Request* request, MPI_Status* status) {
  const auto operation = requests::find(request);
  if (operation == nullptr || !transport::valid_status(status)) return std::nullopt;
  member.lend_until([&] { return operation->carry_on(member); },
                    [&] { return describe_wait(member, "MPI_Wait", MPI_COMM_NULL); });
  return finish_one(*operation, request, status);
}

std::optional<int> test(team::Member& member, MPI_Request* request, int* flag, MPI_Status* status) {
  requests::advance_one(member);
  const auto operation = requests::find(request);
  if (operation == nullptr || flag == nullptr || !transport::valid_status(status)) return std::nullopt;
  *flag = operation->carry_on(member) ? 1 : 0;
  if (*flag == 0) return MPI_SUCCESS;
  return finish_one(*operation, request, status);
}

std::optional<int> waitall(team::Member& member, int count, MPI_Request* requests, MPI_Status* statuses) {
  if (!any_tracked(count, requests)) return std::nullopt;
  return wait_for_all(member, count, requests, statuses);
}

// One after the other: MPICH 4.0.2's MPI_Testall fails on partitioned requests.
std::optional<int> wait_for_all(team::Member& member, int count, MPI_Request* requests,
                                MPI_Status* statuses) {
  if (count < 0 || requests == nullptr || !transport::valid_status(statuses)) return std::nullopt;
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
  return result;
}

std::optional<int> testall(team::Member& member, int count, MPI_Request* requests, int* flag,
                           MPI_Status* statuses) {
  requests::advance_one(member);
  if (flag == nullptr || !transport::valid_status(statuses)) return std::nullopt;
  Sorted sorted(count, requests);
  if (sorted.all_native()) return std::nullopt;
  *flag = 0;
  if (!sorted.advance(member)) {
    transport::traffic::poll();
    return MPI_SUCCESS;
  }
  const int code = PMPI_Testall(sorted.natives(), sorted.native(), flag, sorted.native_statuses());
  if (code == MPI_SUCCESS && *flag == 0) return code;
  return finish_all(sorted, requests, statuses, code);
}

namespace {

/// As MPI_Testany, of sorted requests.
int complete_any(team::Member& member, Sorted& sorted, MPI_Request* requests, int* index, int* flag,
                 MPI_Status* status) {
  sorted.advance(member);
  for (const auto& [operation, at] : sorted.operations()) {
    if (!operation->complete()) continue;
    *flag = 1;
    *index = at;
    return finish_one(*operation, &requests[at], status);
  }
  int native = MPI_UNDEFINED;
  const int code = PMPI_Testany(sorted.natives(), sorted.native(), &native, flag, status);
  sorted.give_back();
  if (native == MPI_UNDEFINED) {
    *flag = 0; // none of them is active, but others are
  } else {
    *index = sorted.native_at(native);
  }
  return code;
}

/// As MPI_Testsome, of sorted requests.
int complete_some(team::Member& member, Sorted& sorted, MPI_Request* requests, int* completed, int* indices,
                  MPI_Status* statuses) {
  Completions results(statuses);
  std::vector<int> native_indices(static_cast<std::size_t>(sorted.natives()));
  int natives = 0;
  const int native_code = PMPI_Testsome(sorted.natives(), sorted.native(), &natives, native_indices.data(),
                                        sorted.native_statuses());
  sorted.give_back();
  if (natives == MPI_UNDEFINED) natives = 0; // none of them is active, but others are
  *completed = 0;
  int native_class = MPI_SUCCESS;
  PMPI_Error_class(native_code, &native_class);
  for (int i = 0; i < natives; ++i) {
    const MPI_Status& status = sorted.native_status(i);
    indices[*completed] = sorted.native_at(native_indices[static_cast<std::size_t>(i)]);
    results.put(static_cast<std::size_t>((*completed)++), status, code_of(native_class, status));
  }
  sorted.advance(member);
  for (const auto& [operation, at] : sorted.operations()) {
    if (!operation->complete()) continue;
    MPI_Status status;
    const Code code = finish(*operation, &requests[at], &status);
    indices[*completed] = at;
    results.put(static_cast<std::size_t>((*completed)++), status, code);
  }
  return results.code(native_code);
}

} // namespace

std::optional<int> testany(team::Member& member, int count, MPI_Request* requests, int* index, int* flag,
                           MPI_Status* status) {
  requests::advance_one(member);
  if (index == nullptr || flag == nullptr || !transport::valid_status(status)) return std::nullopt;
  Sorted sorted(count, requests);
  if (sorted.all_native()) return std::nullopt;
  *index = MPI_UNDEFINED;
  return complete_any(member, sorted, requests, index, flag, status);
}

std::optional<int> waitany(team::Member& member, int count, MPI_Request* requests, int* index,
                           MPI_Status* status) {
  if (index == nullptr || !transport::valid_status(status)) return std::nullopt;
  Sorted sorted(count, requests);
  if (sorted.all_native()) return std::nullopt;
  return wait_until(member, "MPI_Waitany", MPI_COMM_NULL,
                    [&](int* flag) { return complete_any(member, sorted, requests, index, flag, status); });
}

namespace {

bool valid_places(const int* completed, const int* indices, const MPI_Status* statuses) {
  return completed != nullptr && indices != nullptr && transport::valid_status(statuses);
}

} // namespace

std::optional<int> testsome(team::Member& member, int count, MPI_Request* requests, int* completed,
                            int* indices, MPI_Status* statuses) {
  requests::advance_one(member);
  if (!valid_places(completed, indices, statuses)) return std::nullopt;
  Sorted sorted(count, requests);
  if (sorted.all_native()) return std::nullopt;
  return complete_some(member, sorted, requests, completed, indices, statuses);
}

std::optional<int> waitsome(team::Member& member, int count, MPI_Request* requests, int* completed,
                            int* indices, MPI_Status* statuses) {
  if (!valid_places(completed, indices, statuses)) return std::nullopt;
  Sorted sorted(count, requests);
  if (sorted.all_native()) return std::nullopt;
  return wait_until(member, "MPI_Waitsome", MPI_COMM_NULL, [&](int* flag) {
    const int code = complete_some(member, sorted, requests, completed, indices, statuses);
    *flag = *completed != 0 ? 1 : 0;
    return code;
  });
}

int test_one(team::Member& member, MPI_Request* request, MPI_Status* status, int* done, MPI_Comm comm) {
  const auto operation = requests::find(request);
  return reported_to(comm, [&] {
    if (operation == nullptr) return Code{PMPI_Test(request, done, status)};
    *done = operation->carry_on(member) ? 1 : 0;
    return *done != 0 ? finish(*operation, request, status) : Code{MPI_SUCCESS};
  });
}

std::optional<int> request_get_status(team::Member& member, MPI_Request request, int* flag,
                                      MPI_Status* status) {
  requests::advance_one(member);
  const auto operation = requests::find(&request);
  if (operation == nullptr || flag == nullptr || !transport::valid_status(status)) return std::nullopt;
  *flag = operation->carry_on(member) ? 1 : 0;
  if (*flag == 0) return MPI_SUCCESS;
  MPI_Status result;
  const int code = reported_to(MPI_COMM_NULL, [&] { return operation->result(result); });
  if (status != MPI_STATUS_IGNORE) *status = result;
  return code;
}

std::optional<int> request_free(team::Member& member, MPI_Request* request) {
  const auto operation = requests::find(request);
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
