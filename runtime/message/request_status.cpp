// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Looks at requests, some of which have operations, and completes none.

#include "message/given_requests.hpp"
#include "message/message.hpp"
#include "message/requests.hpp"
#include "message/wait.hpp"
#include "ranks/arguments.hpp"
#include "shm/traffic.hpp"

namespace helper::message {

std::optional<int> request_get_status(team::Member& member, MPI_Request request, int* flag,
                                      MPI_Status* status) {
  member.attend(); // quirk does_not_poll_generalised
  const auto operation = requests::operation_of(&request);
  if (flag == nullptr || !ranks::valid_status(status)) return std::nullopt;
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

/// Does what MPI_Request_get_status does, for a request with or without an operation.
int look_at(team::Member& member, MPI_Request request, int* flag, MPI_Status* status) {
  const std::optional<int> code = request_get_status(member, request, flag, status);
  return code ? *code : PMPI_Request_get_status(request, flag, status);
}

} // namespace

std::optional<int> request_get_status_all(team::Member& member, int count, const MPI_Request* requests,
                                          int* flag, MPI_Status* statuses) {
  member.attend();
  if (!any_ours(count, requests) || flag == nullptr || !ranks::valid_status(statuses)) return std::nullopt;
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
  if (index == nullptr || flag == nullptr || !ranks::valid_status(status)) return std::nullopt;
  GivenRequests all(count, const_cast<MPI_Request*>(requests), Given::natives); // completes none
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
    shm::traffic::poll();
  }
  return code;
}

std::optional<int> request_get_status_some(team::Member& member, int count, const MPI_Request* requests,
                                           int* completed, int* indices, MPI_Status* statuses) {
  member.attend();
  if (!valid_places(completed, indices, statuses)) return std::nullopt;
  GivenRequests all(count, const_cast<MPI_Request*>(requests), Given::natives); // completes none
  if (all.all_native()) return std::nullopt;
  *completed = 0;
  int result = PMPI_Request_get_status_some(count, all.natives(), completed, indices, statuses);
  if (!has_completed(result)) return result;
  if (*completed == MPI_UNDEFINED && all.is_active()) {
    *completed = 0;
    shm::traffic::poll();
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
  requests::advance(member, *operation);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

std::optional<int> cancel(team::Member&, MPI_Request* request) {
  const auto operation = requests::find(request);
  if (operation == nullptr) return std::nullopt;
  return operation->cancel();
}

} // namespace helper::message
