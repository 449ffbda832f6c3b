// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <array>
#include <cstddef>

#include "interpose/entry.hpp"
#include "interpose/lend.hpp"
#include "interpose/quickly.hpp"
#include "message/message.hpp"
#include "message/packed_bytes.hpp"
#include "ranks/arguments.hpp"

using namespace helper;
using namespace helper::interpose;

// Receives from MPI_PROC_NULL use the blocking functions, which return immediately: quirk test_leaves_status.
namespace {

/// Makes a blocking send, announced if that pays. `Start` is the MPI function that starts a send of its mode.
template <auto Start>
constexpr auto announce = [](team::Member& member, auto... arguments) {
  return message::send(member, Start, name_of<Start>, arguments...);
};

/// Makes a non-blocking send, announced if that pays. `Start` is the MPI function for it.
template <auto Start>
constexpr auto start_announced =
    [](team::Member& member, auto... arguments) { return message::isend(member, Start, arguments...); };

/// Makes a buffered send of data that the program packs with its own functions. MPI copies the bytes.
constexpr auto buffer_packed = [](team::Member& member, const void* data, auto count, MPI_Datatype type,
                                  int peer, int tag, MPI_Comm comm) -> std::optional<int> {
  if (!layout::has_functions(type)) return std::nullopt;
  const auto bytes = ranks::charged_to(comm, [&] { return message::PackedBytes(data, count, type); });
  if (peer != MPI_PROC_NULL) bytes.load(member);
  return bytes.give(
      [&](int of_bytes, MPI_Datatype as) { return PMPI_Bsend(bytes.data(), of_bytes, as, peer, tag, comm); });
};

template <auto Irecv>
constexpr auto receive = [](team::Member& member, void* buffer, auto count, MPI_Datatype type, int source,
                            int tag, MPI_Comm comm, MPI_Status* status) -> std::optional<int> {
  if (source == MPI_PROC_NULL || !ranks::valid_status(status)) return std::nullopt;
  return lend_with_status<Irecv>(member, buffer, count, type, source, tag, comm, status);
};

template <auto Imrecv>
constexpr auto receive_matched = [](team::Member& member, void* buffer, auto count, MPI_Datatype type,
                                    MPI_Message* message, MPI_Status* status) -> std::optional<int> {
  if (message == nullptr || *message == MPI_MESSAGE_NO_PROC || !ranks::valid_status(status))
    return std::nullopt;
  return lend_with_status<Imrecv>(member, buffer, count, type, message, status);
};

// Each of the functions below replaces an Entry: it leaves a small message to MPI, or else calls the Entry.

/// Begins a request natively. No error handler may leave the call by a jump.
template <auto Native, class... Arguments>
[[gnu::always_inline]] inline int begin_natively(MPI_Request* request, Arguments... arguments) {
  shm::traffic::begin();
  *request = MPI_REQUEST_NULL;
  const int code = Mapped<Native>::call(arguments..., request);
  if (code != MPI_SUCCESS || *request == MPI_REQUEST_NULL) [[unlikely]] // quirk success_after_error
    shm::traffic::end(1);
  return code;
}

template <auto Native, auto Way>
int send_begun(const void* data, auto count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
               MPI_Request* request) {
  if (request == nullptr || !message::quick::is_sent_plainly(data, count, type)) [[unlikely]]
    return slowly<Entry<Native, Way>>(data, count, type, peer, tag, comm, request);
  shm::traffic::send();
  return begin_natively<Native>(request, data, count, type, peer, tag, comm);
}

template <auto Native, auto Way>
int posted(void* buffer, auto count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
           MPI_Request* request) {
  const MPI_Count bytes = message::quick::plain_bytes(buffer, count, type);
  if (bytes < 0 || request == nullptr || !message::quick::is_received_plainly(buffer, type, source))
      [[unlikely]]
    return slowly<ReceivingEntry<Native, Way>>(buffer, count, type, source, tag, comm, request);
  const int code = begin_natively<Native>(request, buffer, count, type, source, tag, comm);
  if (bytes >= MPI_Count{message::Rts::least_bytes} && code == MPI_SUCCESS && *request != MPI_REQUEST_NULL)
    message::requests::keep(*request, {buffer, bytes, nullptr});
  return code;
}

/// Waits for the requests of a blocking call on `comm`.
template <auto Native, std::size_t count>
int waited(team::Member& member, std::array<MPI_Request, count>& requests,
           std::array<MPI_Status, count>& statuses, MPI_Comm comm) {
  std::size_t next = 0;
  int code = message::quick::poll(comm, [&](int* flag) {
    const int own = Mapped<PMPI_Test>::call(&requests[next], flag, &statuses[next]);
    if (own == MPI_SUCCESS && *flag != 0 && ++next < count) *flag = 0;
    return own;
  });
  for (; next < count; ++next) {
    if (requests[next] == MPI_REQUEST_NULL) continue; // it has failed
    const int later = message::wait_for(member, name_of<Native>, comm, requests[next], &statuses[next]);
    if (code == MPI_SUCCESS) code = later;
  }
  return code;
}

template <auto Native, auto Start, auto... Ways>
int sent(const void* data, auto count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  if (message::quick::is_sent_plainly(data, count, type)) [[likely]] {
    const int quick = quickly([&](team::Member& member) {
      shm::traffic::send();
      std::array request{MPI_REQUEST_NULL};
      std::array<MPI_Status, 1> status;
      const int begun = Mapped<Start>::call(data, count, type, peer, tag, comm, request.data());
      return begun == MPI_SUCCESS ? waited<Native>(member, request, status, comm) : begun;
    });
    if (quick != not_done) return quick;
  }
  return slowly<Entry<Native, Ways...>>(data, count, type, peer, tag, comm);
}

/// Completes a blocking receive into `data`, for which MPI has returned `code` and the status `arrived`.
[[gnu::always_inline]] inline int finished(team::Member& member, int code, const message::EagerReceive& data,
                                           MPI_Comm comm, MPI_Status& arrived, MPI_Status* status) {
  if (code == MPI_SUCCESS && message::Rts::begins(data, arrived)) [[unlikely]]
    code = message::quick::receive_announced(member, data, comm, arrived);
  message::give(status, arrived);
  return code;
}

template <auto Native, auto Start, auto... Ways>
int received(void* buffer, auto count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status* status) {
  const MPI_Count bytes = message::quick::plain_bytes(buffer, count, type);
  if (bytes >= 0 && message::quick::is_received_plainly(buffer, type, source) && ranks::valid_status(status))
      [[likely]] {
    const int quick = quickly([&](team::Member& member) {
      std::array request{MPI_REQUEST_NULL};
      std::array<MPI_Status, 1> arrived{};
      const int begun = Mapped<Start>::call(buffer, count, type, source, tag, comm, request.data());
      if (begun != MPI_SUCCESS) return begun;
      const int code = waited<Native>(member, request, arrived, comm);
      return finished(member, code, {buffer, bytes, nullptr}, comm, arrived[0], status);
    });
    if (quick != not_done) return quick;
  }
  return slowly<ReceivingEntry<Native, Ways...>>(buffer, count, type, source, tag, comm, status);
}

/// Returns whether MPI certainly starts a send with these arguments, whose data are valid.
bool can_be_started(int destination, int tag, MPI_Comm comm) {
  int ranks = 0, is_inter = 1;
  return destination >= 0 && tag >= 0 && tag <= 32767 && comm != MPI_COMM_NULL &&
         PMPI_Comm_size(comm, &ranks) == MPI_SUCCESS && destination < ranks &&
         PMPI_Comm_test_inter(comm, &is_inter) == MPI_SUCCESS && is_inter == 0;
}

template <auto Native, auto Way>
int exchanged(const void* out, auto out_count, MPI_Datatype out_type, int destination, int out_tag, void* in,
              auto in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm,
              MPI_Status* status) {
  const MPI_Count bytes = message::quick::plain_bytes(in, in_count, in_type);
  if (bytes >= 0 && message::quick::is_sent_plainly(out, out_count, out_type) &&
      message::quick::is_received_plainly(in, in_type, source) && ranks::valid_status(status)) [[likely]] {
    const int quick = quickly([&](team::Member& member) {
      if (!can_be_started(destination, out_tag, comm)) return not_done;
      shm::traffic::send();
      std::array requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
      std::array<MPI_Status, 2> statuses{};
      int begun = Mapped<PMPI_Irecv>::call(in, static_cast<int>(in_count), in_type, source, in_tag, comm,
                                           &requests[0]);
      if (requests[0] == MPI_REQUEST_NULL) return begun; // quirk success_after_error
      begun = Mapped<PMPI_Isend>::call(out, static_cast<int>(out_count), out_type, destination, out_tag, comm,
                                       &requests[1]);
      const bool is_begun = requests[1] != MPI_REQUEST_NULL;
      if (!is_begun) PMPI_Cancel(&requests[0]);
      const int code = waited<Native>(member, requests, statuses, comm);
      if (!is_begun) return begun;
      return finished(member, code, {in, bytes, nullptr}, comm, statuses[0], status);
    });
    if (quick != not_done) return quick;
  }
  return slowly<ReceivingEntry<Native, Way>>(out, out_count, out_type, destination, out_tag, in, in_count,
                                             in_type, source, in_tag, comm, status);
}

} // namespace

#include "interpose/point_to_point.inc"
