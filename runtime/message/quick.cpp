// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/quick.hpp"

#include <cstdint>

#include "ranks/mpi_error.hpp"
#include "shm/traffic.hpp"
#include "team/registry.hpp"

namespace helper::message::quick {

namespace {

/// Returns the operation of a request that MPI has completed and freed, if the operation continues. Returns
/// nullptr at MPI_THREAD_MULTIPLE: another thread's request may have the handle `name` by now.
std::shared_ptr<NonblockingOperation> take(MPI_Request name, int code, const MPI_Status& status) {
  return may_give_receives() ? requests::take(name, code, status) : nullptr;
}

/// Makes a new `request` for an operation that continues. Returns MPI's code.
int go_on(const std::shared_ptr<NonblockingOperation>& operation, MPI_Request& request) {
  const int code = requests::go_on(team::alone(), operation, request);
  if (code != MPI_SUCCESS) shm::traffic::end(1);
  return code;
}

/// Finds the requests that MPI has completed and freed, perhaps with errors. Forgets them.
void settle_all(const MPI_Request* names, int count, const MPI_Request* requests, int code) {
  for (int index = 0; index < count; ++index) {
    if (names[index] == requests[index]) continue;
    take(names[index], code, {});
    shm::traffic::end(1);
  }
}

/// Does what testall() does if some requests may be receives. The library must see the message of a receive
/// before MPI completes the receive. Looks at such requests until one is not complete.
int look_at_one(int count, const MPI_Request* requests, int* flag) {
  // A look makes no progress for other requests, so the caller tests them at every `period`-th call.
  constexpr unsigned period = 64;
  static thread_local constinit struct {
    unsigned calls;
    int last;
  } past{};
  if (ranks::reporting() == ranks::Reporting::by_request_or_self || ++past.calls % period == 0)
    return not_done;
  int place = past.last < count ? past.last : 0;
  for (int looks = 0; looks < count; ++looks, place = place + 1 == count ? 0 : place + 1) {
    if (!may_be_ours(requests[place])) continue;
    int is_complete = 0;
    MPI_Status status;
    const int code = PMPI_Request_get_status(requests[place], &is_complete, &status);
    if (code != MPI_SUCCESS) {
      if (const auto operation = requests::operation_of(&requests[place])) operation->learn(status, code);
      return not_done;
    }
    if (is_complete != 0) continue;
    past.last = place;
    *flag = 0;
    return code;
  }
  return not_done;
}

} // namespace

bool can_be_given(int count, const MPI_Request* requests) noexcept {
  if (count <= 0 || requests == nullptr) return false;
  if (may_give_receives()) return !requests::withheld_names.any() && !persistent::collectives.any();
  return !may_be_ours(count, requests);
}

int detail::settle_one(MPI_Request name, MPI_Request& request, int code, const MPI_Status& status) {
  if (may_give_receives() && requests::forget_plain(name, code, status)) [[likely]] {
    shm::traffic::end(1);
    return code;
  }
  const auto operation = take(name, code, status);
  if (operation == nullptr) {
    shm::traffic::end(1);
    return code;
  }
  const int own = go_on(operation, request);
  return own == MPI_SUCCESS ? not_done : own;
}

int detail::settle_any(const MPI_Request* names, int count, MPI_Request* requests, const int* index,
                       const int* flag, MPI_Status* status, const MPI_Status& own, int code) {
  if (code != MPI_SUCCESS || *flag < 0) {
    settle_all(names, count, requests, code == MPI_SUCCESS ? MPI_ERR_OTHER : code);
    return code;
  }
  if (*index == MPI_UNDEFINED) return status == MPI_STATUS_IGNORE ? code : make_empty(*status);
  MPI_Request& request = requests[*index];
  const MPI_Request name = names[*index];
  return request == name ? code
                         : settle_one(name, request, code, status == MPI_STATUS_IGNORE ? own : *status);
}

int detail::settle_some(const MPI_Request* names, int count, MPI_Request* requests, int* completed,
                        int* indices, MPI_Status* statuses, int code) {
  if (!has_completed(code)) {
    settle_all(names, count, requests, code);
    return code;
  }
  if (*completed == MPI_UNDEFINED) return code;
  const bool gives = may_give_receives();
  std::uint64_t over = 0;
  const auto is_over = [&](int index, MPI_Status& status) __attribute__((always_inline)) {
    if (code == MPI_SUCCESS) status.MPI_ERROR = MPI_SUCCESS;
    const MPI_Request name = names[index];
    if (requests[index] == name) return true;
    if (gives && !requests::forget_plain(name, status.MPI_ERROR, status)) return false;
    ++over;
    return true;
  };
  int plain = 0; // the first requests, often all, need no GoingOn, which would take twice the time
  while (plain < *completed && is_over(indices[plain], statuses[plain])) ++plain;
  requests::GoingOn going_on;
  *completed =
      plain + going_on.add(*completed - plain, indices + plain, statuses + plain,
                           [&](int index, MPI_Status& status) -> std::shared_ptr<NonblockingOperation> {
                             if (is_over(index, status)) return nullptr;
                             auto operation = requests::take(names[index], status.MPI_ERROR, status);
                             if (operation == nullptr) ++over;
                             return operation;
                           });
  shm::traffic::end(over);
  going_on.go_on([&](int index, const auto& operation) { return go_on(operation, requests[index]); });
  return *completed == 0 ? not_done : code;
}

int detail::fail(int code, int count, int& done) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(code, &error_class);
  if (error_class != MPI_ERR_REQUEST) return MPI_ERR_IN_STATUS;
  done = count;
  return code;
}

int detail::testany_of_many(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  Several<MPI_Request, few> names(static_cast<std::size_t>(count));
  std::copy_n(requests, count, names.data());
  MPI_Status own;
  const int code = PMPI_Testany(count, requests, index, flag, status == MPI_STATUS_IGNORE ? &own : status);
  if (code == MPI_SUCCESS && *flag == 0) return code;
  return settle_any(names.data(), count, requests, index, flag, status, own, code);
}

int testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  if (count <= 0 || requests == nullptr || flag == nullptr || !ranks::valid_status(statuses)) return not_done;
  if (may_give_receives() && may_be_ours(count, requests)) return look_at_one(count, requests, flag);
  Several<MPI_Request, few> names(static_cast<std::size_t>(count));
  std::copy_n(requests, count, names.data());
  const int code = PMPI_Testall(count, requests, flag, statuses);
  if (code != MPI_SUCCESS || *flag != 0) settle_all(names.data(), count, requests, code);
  return code;
}

} // namespace helper::message::quick
