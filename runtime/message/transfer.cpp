// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Starting sends and receives, and the blocking ones.

#include <limits>
#include <memory>
#include <utility>

#include "message/held.hpp"
#include "message/incoming.hpp"
#include "message/message.hpp"
#include "message/operation.hpp"
#include "message/profile.hpp"
#include "message/wait.hpp"
#include "transport/arguments.hpp"

namespace helper::message {

namespace {

/// What a receive stores in; none for a datatype without layout.
std::optional<Data> data_of(void* buffer, MPI_Count count, MPI_Datatype type) {
  const Profile& profile = Profile::of(type);
  if (profile.layout == nullptr) return std::nullopt;
  return Data(buffer, count, profile.layout);
}

/// What a receive stores in if it may meet an announcement. Smaller ones MPI itself finds to be too small.
std::optional<Data> announceable(void* buffer, MPI_Count count, MPI_Datatype type, int source,
                                 MPI_Comm comm) {
  if (count <= 0 || source == MPI_PROC_NULL || comm == MPI_COMM_NULL ||
      !transport::valid_data(buffer, count, type))
    return std::nullopt;
  MPI_Count element = 0;
  PMPI_Type_size_x(type, &element);
  if (element == 0 || count < (MPI_Count{Announcement::least_bytes} - 1) / element + 1) return std::nullopt;
  return data_of(buffer, count, type);
}

/// Starts to receive a message that was held.
int start_held(Held held, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request) {
  const auto data = held.payload == nullptr ? std::nullopt : data_of(buffer, count, type);
  if (!data) return PMPI_Imrecv_c(buffer, count, type, &held.message, request);
  auto operation = std::make_shared<ReceiveOperation>(held.comm, *data);
  const int code = operation->receive_held(std::move(held), buffer, count, type);
  if (code != MPI_SUCCESS) return code;
  *request = operation->request();
  requests::track(*request, std::move(operation));
  return code;
}

/// Waits for a request, of an operation or not.
int complete(team::Member& member, MPI_Request* request, MPI_Status* status, std::string_view function,
             MPI_Comm comm) {
  int code = MPI_SUCCESS;
  int done = 0;
  member.lend_until(
      [&] {
        code = test_one(member, request, status, &done);
        return done != 0 || code != MPI_SUCCESS;
      },
      [&] { return describe_wait(member, function, comm); });
  return code;
}

/// Receives what has been announced into `data`.
int receive(team::Member& member, Incoming& in, const Data& data, MPI_Comm comm) {
  member.lend_until(
      [&] {
        while (in.advance(member, data)) {
        }
        return in.done();
      },
      [&] { return describe_wait(member, "MPI_Recv", comm); });
  if (in.error() != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, in.error());
  return in.error();
}

} // namespace

std::optional<int> send(team::Member& member, Start start, std::string_view function, const void* buffer,
                        MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  const auto message = Outgoing::worthy(buffer, count, type, destination, comm);
  if (!message) return std::nullopt;
  auto writer = Outgoing::open(*message);
  if (!writer) return member.decline("no stream is left");
  Outgoing out(*message, std::move(*writer));
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
  if (source == MPI_PROC_NULL || status == nullptr) return std::nullopt;
  MPI_Request request = MPI_REQUEST_NULL;
  auto steady = held::steady();
  if (auto held = held::take(source, tag, comm)) {
    if (steady) steady.unlock();
    const int code = start_held(std::move(*held), buffer, count, type, &request);
    return code != MPI_SUCCESS ? code : complete(member, &request, status, "MPI_Recv", comm);
  }
  const auto data = announceable(buffer, count, type, source, comm);
  if (!data && !steady) return std::nullopt;
  MPI_Status arrived;
  int code = PMPI_Irecv_c(buffer, count, type, source, tag, comm, &request);
  if (code != MPI_SUCCESS) return code;
  if (steady) steady.unlock();
  code = wait_until(member, "MPI_Recv", comm, [&](int* flag) { return PMPI_Test(&request, flag, &arrived); });
  if (code == MPI_SUCCESS && data) {
    if (auto in = Incoming::announced(*data, arrived)) {
      code = receive(member, *in, *data, comm);
      in->correct(arrived);
    }
  }
  if (status != MPI_STATUS_IGNORE) {
    arrived.MPI_ERROR = status->MPI_ERROR; // which single completions leave alone
    *status = arrived;
  }
  return code;
}

std::optional<int> mrecv(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type,
                         MPI_Message* message, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  const auto code = imrecv(member, buffer, count, type, message, &request);
  if (!code || *code != MPI_SUCCESS) return code;
  return complete(member, &request, status, "MPI_Mrecv", MPI_COMM_NULL);
}

std::optional<int> isend(team::Member& member, Start start, const void* buffer, MPI_Count count,
                         MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  const auto message = Outgoing::worthy(buffer, count, type, destination, comm);
  if (!message || request == nullptr) return std::nullopt;
  auto writer = Outgoing::open(*message);
  if (!writer) return member.decline("no stream is left");
  auto operation = std::make_shared<SendOperation>(comm, *message, std::move(*writer));
  const int code = operation->out().announce(start, destination, tag, comm);
  if (code != MPI_SUCCESS) return code;
  *request = operation->make_request();
  while (operation->advance(member)) {
  }
  requests::track(*request, std::move(operation));
  return MPI_SUCCESS;
}

std::optional<int> irecv(team::Member&, void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  const auto steady = held::steady();
  if (request == nullptr) return std::nullopt;
  if (auto held = held::take(source, tag, comm))
    return start_held(std::move(*held), buffer, count, type, request);
  const auto data = announceable(buffer, count, type, source, comm);
  if (!data) {
    if (!steady) return std::nullopt;
    return PMPI_Irecv_c(buffer, count, type, source, tag, comm, request);
  }
  auto operation = std::make_shared<ReceiveOperation>(comm, *data);
  const int code = PMPI_Irecv_c(buffer, count, type, source, tag, comm, request);
  if (code != MPI_SUCCESS) return code;
  operation->set_request(*request);
  try {
    requests::track(*request, std::move(operation));
  } catch (...) { // nothing is received into a buffer that nobody waits for
    PMPI_Cancel(request);
    PMPI_Wait(request, MPI_STATUS_IGNORE);
    throw;
  }
  return MPI_SUCCESS;
}

std::optional<int> imrecv(team::Member&, void* buffer, MPI_Count count, MPI_Datatype type,
                          MPI_Message* message, MPI_Request* request) {
  if (message == nullptr || request == nullptr) return std::nullopt;
  auto held = held::take_matched(*message);
  if (!held) return std::nullopt;
  *message = MPI_MESSAGE_NULL;
  return start_held(std::move(*held), buffer, count, type, request);
}

int start_send(team::Member& member, const void* buffer, MPI_Count count, MPI_Datatype type, int destination,
               int tag, MPI_Comm comm, MPI_Request* request) {
  const auto code = isend(member, PMPI_Isend, buffer, count, type, destination, tag, comm, request);
  return code ? *code : PMPI_Isend_c(buffer, count, type, destination, tag, comm, request);
}

int start_receive(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag,
                  MPI_Comm comm, MPI_Request* request) {
  const auto code = irecv(member, buffer, count, type, source, tag, comm, request);
  return code ? *code : PMPI_Irecv_c(buffer, count, type, source, tag, comm, request);
}

} // namespace helper::message
