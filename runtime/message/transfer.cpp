// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Starting sends and receives, and the blocking ones.

#include <limits>
#include <memory>
#include <utility>

#include "message/incoming.hpp"
#include "message/message.hpp"
#include "message/operation.hpp"
#include "message/profile.hpp"
#include "message/wait.hpp"

namespace helper::message {

namespace {

/// Where a receive may meet an announcement, what it is to be stored in. Smaller ones MPI itself finds to be
/// too small for it.
std::optional<Data> announced_into(void* buffer, MPI_Count count, MPI_Datatype type, int source,
                                   MPI_Comm comm) {
  if (count <= 0 || source == MPI_PROC_NULL || type == MPI_DATATYPE_NULL || comm == MPI_COMM_NULL)
    return std::nullopt;
  MPI_Count element = 0;
  PMPI_Type_size_x(type, &element);
  if (element == 0 || count < (MPI_Count{Announcement::least_bytes} - 1) / element + 1) return std::nullopt;
  const Profile& profile = Profile::of(type);
  if (profile.layout == nullptr) return std::nullopt;
  return Data(buffer, count, profile.layout);
}

} // namespace

std::optional<int> send(team::Member& member, Start start, std::string_view function, const void* buffer,
                        MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  auto ticket = Outgoing::ticket(buffer, count, type, destination, comm);
  if (!ticket) return std::nullopt;
  Outgoing out(std::move(*ticket));
  if (const int code = out.announce(start, destination, tag, comm); code != MPI_SUCCESS) return code;
  member.lend_until(
      [&] {
        while (out.advance(member)) {
        }
        return out.sent();
      },
      [&] { return describe_wait(member, function, comm); });
  return MPI_SUCCESS;
}

std::optional<int> recv(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type, int source,
                        int tag, MPI_Comm comm, MPI_Status* status) {
  const auto data = announced_into(buffer, count, type, source, comm);
  if (!data) return std::nullopt;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status arrived;
  int code = PMPI_Irecv_c(buffer, count, type, source, tag, comm, &request);
  if (code != MPI_SUCCESS) return code;
  code = wait_until(member, "MPI_Recv", comm, [&](int* flag) { return PMPI_Test(&request, flag, &arrived); });
  if (code == MPI_SUCCESS) {
    if (auto in = Incoming::announced(*data, arrived)) {
      member.lend_until(
          [&] {
            while (in->advance(member, *data)) {
            }
            return in->done();
          },
          [&] { return describe_wait(member, "MPI_Recv", comm); });
      in->correct(arrived);
      code = in->error();
      if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, code);
    }
  }
  if (status != MPI_STATUS_IGNORE) *status = arrived;
  return code;
}

std::optional<int> isend(team::Member& member, Start start, const void* buffer, MPI_Count count,
                         MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  auto ticket = Outgoing::ticket(buffer, count, type, destination, comm);
  if (!ticket) return std::nullopt;
  auto operation = std::make_shared<SendOperation>(comm, std::move(*ticket));
  const int code = operation->out().announce(start, destination, tag, comm);
  if (code != MPI_SUCCESS) return code;
  *request = operation->make_request();
  while (operation->advance(member)) {
  }
  requests::track(*request, std::move(operation));
  return MPI_SUCCESS;
}

std::optional<int> irecv(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  const auto data = announced_into(buffer, count, type, source, comm);
  if (!data) return std::nullopt;
  auto operation = std::make_shared<ReceiveOperation>(comm, *data);
  const int code = PMPI_Irecv_c(buffer, count, type, source, tag, comm, request);
  if (code != MPI_SUCCESS) return code;
  operation->set_request(*request);
  requests::track(*request, std::move(operation));
  return MPI_SUCCESS;
}

int start_send(team::Member& member, const void* buffer, MPI_Count count, MPI_Datatype type, int destination,
               int tag, MPI_Comm comm, MPI_Request* request) {
  const auto code = isend(member, PMPI_Isend, buffer, count, type, destination, tag, comm, request);
  return code ? *code : PMPI_Isend_c(buffer, count, type, destination, tag, comm, request);
}

int start_receive(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  const auto code = irecv(buffer, count, type, source, tag, comm, request);
  return code ? *code : PMPI_Irecv_c(buffer, count, type, source, tag, comm, request);
}

} // namespace helper::message
