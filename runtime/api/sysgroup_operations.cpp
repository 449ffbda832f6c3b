// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The operations of system-ranked groups in mpi_helper.h.

#include "mpi_helper.h"

#include <memory>
#include <string>

#include "api/sysgroup_handles.hpp"
#include "groups/sysgroup/operations.hpp"
#include "groups/sysgroup/sweep.hpp"
#include "ranks/arguments.hpp"
#include "reduction/reducer.hpp"

using namespace helper;
using namespace helper::groups;
using api::check_pointer;
using api::Rejected;
using api::take_part;
using sysgroup::Sysgroup;
using Call = sysgroup::Sweep::SweepCall;

namespace {

void check_root(const Sysgroup& group, int root) {
  if (root < 0 || root >= group.place().size)
    throw Rejected(MPI_ERR_ROOT, "root is " + std::to_string(root) + ", and the group has " +
                                     std::to_string(group.place().size) + " members");
}

/// Throws unless native MPI accepts the data.
void check_data(const void* data, MPI_Count count, MPI_Datatype type) {
  if (count < 0) throw Rejected(MPI_ERR_COUNT, "count is " + std::to_string(count));
  if (type == MPI_DATATYPE_NULL) throw Rejected(MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL");
  if (!ranks::valid_data(data, count, type))
    throw Rejected(MPI_ERR_ARG, "no such buffer of elements of that datatype can be sent or received");
}

MPI_Count first_byte(MPI_Datatype type) {
  MPI_Count begin = 0, extent = 0;
  PMPI_Type_get_true_extent_x(type, &begin, &extent);
  return begin;
}

/// Throws if the data of both buffers begin at the same byte. Buffers at equal addresses, such as MPI_BOTTOM,
/// may begin at different bytes.
void check_apart(const void* send, MPI_Datatype send_type, const void* receive, MPI_Datatype receive_type) {
  if (send == receive && first_byte(send_type) == first_byte(receive_type))
    throw Rejected(MPI_ERR_BUFFER, "sendbuf is recvbuf; MPI_IN_PLACE says so");
}

reduction::Reducer reducer_of(MPI_Op op, MPI_Datatype type) {
  if (op == MPI_OP_NULL) throw Rejected(MPI_ERR_OP, "op is MPI_OP_NULL");
  if (!ranks::valid_operation(op, type)) throw Rejected(MPI_ERR_OP, "op is not defined for the datatype");
  const auto reducer = reduction::Reducer::of(op, type);
  return reducer ? *reducer : reduction::Reducer::by_mpi(op, type);
}

reduction::Reducer commutative_reducer_of(MPI_Op op, MPI_Datatype type) {
  auto reducer = reducer_of(op, type);
  int commutes = 0;
  PMPI_Op_commutative(op, &commutes);
  if (commutes == 0)
    throw Rejected(MPI_ERR_OP, "op does not commute, and ranks in a group have no meaning to it; "
                               "MPIX_Sysgroup_to_comm makes a communicator");
  return reducer;
}

/// Returns the bytes of the data, which have been checked.
std::size_t bytes_of_elements(MPI_Count count, MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return static_cast<std::size_t>(count * size);
}

bool has_data(int count, MPI_Datatype type) {
  return bytes_of_elements(count, type) > 0;
}

// barrier(), bcast() and reduce() return a function from a group to this member's call (none without data).

auto barrier() {
  return [](const Sysgroup&) { return std::optional(Call{.gathers = true, .spreads = true}); };
}

auto bcast(void* buffer, int count, MPI_Datatype type, int root) {
  return [=](const Sysgroup& group) -> std::optional<Call> {
    check_root(group, root);
    check_data(buffer, count, type);
    if (!has_data(count, type)) return std::nullopt;
    const bool is_root = root == group.place().rank;
    return Call{.spreads = true,
                .root = root,
                .from = is_root ? std::optional<const void*>(buffer) : std::nullopt,
                .to = is_root ? std::nullopt : std::optional(buffer),
                .count = count,
                .type = type};
  };
}

/// Without a root all members get the result.
auto reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
            std::optional<int> root) {
  return [=](const Sysgroup& group) -> std::optional<Call> {
    if (root) check_root(group, *root);
    const bool is_wanted = !root || *root == group.place().rank;
    const void* const from = is_wanted && send == MPI_IN_PLACE ? receive : send;
    check_data(from, count, type);
    if (is_wanted) check_data(receive, count, type);
    if (is_wanted && count > 0) check_apart(send, type, receive, type);
    const auto reducer = commutative_reducer_of(op, type);
    if (!has_data(count, type)) return std::nullopt;
    return Call{.gathers = true,
                .spreads = !root,
                .root = root.value_or(0),
                .from = from,
                .to = is_wanted ? std::optional(receive) : std::nullopt,
                .count = count,
                .type = type,
                .reducer = reducer};
  };
}

/// Performs the operation that `call_of(group)` describes.
template <class CallOf>
int carry_out(const char* function, MPIX_Sysgroup handle, const CallOf& call_of) {
  return take_part(function, handle, [&](const std::shared_ptr<Sysgroup>& group, team::Member& member) {
    std::optional<Call> call = call_of(*group);
    if (!call) return;
    call->function = function;
    sysgroup::pending::settle(*group, member);
    sysgroup::Sweep(member, group, *call).finish();
  });
}

/// Starts the operation that `call_of(group)` describes.
template <class CallOf>
int start(const char* function, MPIX_Sysgroup handle, MPI_Request* request, const CallOf& call_of) {
  return take_part(function, handle, [&](const std::shared_ptr<Sysgroup>& group, team::Member&) {
    check_pointer(request, "request");
    Call call = call_of(*group).value_or(Call{});
    call.function = function;
    sysgroup::pending::begin(group, call, request);
  });
}

/// Returns this member's part in a gather: its contribution and, if `gets`, the buffer for the result.
/// Returns nothing if there are no data. `send` and `receive` are as in MPI_Gather.
std::optional<sysgroup::GatherCall> gather_call(const ranks::Elements& send, const ranks::Elements& receive,
                                                bool gets, int size) {
  const bool in_place = gets && send.base == MPI_IN_PLACE;
  sysgroup::GatherCall call{};
  if (!in_place) {
    check_data(send.base, send.count, send.type);
    call.bytes = bytes_of_elements(send.count, send.type);
    call.own = send;
  }
  if (gets) {
    check_data(receive.base, receive.count, receive.type);
    const std::size_t room = bytes_of_elements(receive.count, receive.type);
    if (!in_place && call.bytes != room)
      throw Rejected(MPI_ERR_COUNT, "a block that is sent has another size than one that is received");
    if (room > 0) check_apart(send.base, send.type, receive.base, receive.type);
    call.bytes = room;
    call.blocks = {receive.base, receive.count * size, receive.type};
  }
  return call.bytes > 0 ? std::optional(call) : std::nullopt;
}

/// Without a root, all members get the blocks.
int gather(const char* function, const ranks::Elements& send, const ranks::Elements& receive,
           std::optional<int> root, MPIX_Sysgroup handle) {
  return take_part(function, handle, [&](const std::shared_ptr<Sysgroup>& group, team::Member& member) {
    if (root) check_root(*group, *root);
    const bool gets = !root || *root == group->place().rank;
    auto call = gather_call(send, receive, gets, group->place().size);
    if (!call) return;
    call->function = function;
    call->root = root;
    sysgroup::pending::settle(*group, member);
    sysgroup::gather(member, *group, *call);
  });
}

/// Throws unless `peer` is another member.
void check_peer(const Sysgroup& group, int peer, const char* name) {
  const int size = group.place().size;
  if (peer < 0 || peer >= size)
    throw Rejected(MPI_ERR_RANK, std::string(name) + " is " + std::to_string(peer) + ", and the group has " +
                                     std::to_string(size) + " members");
  if (peer == group.place().rank) throw Rejected(MPI_ERR_RANK, std::string(name) + " is the caller itself");
}

sysgroup::Transfer transfer(const char* function, void* buffer, int count, MPI_Datatype type, int peer,
                            int tag) {
  const auto bytes = static_cast<std::int64_t>(bytes_of_elements(count, type));
  return {function, {buffer, count, type}, bytes, peer, tag};
}

/// Sets a status, unless it is to be ignored.
void set_status(MPI_Status* status, const sysgroup::Received& received) {
  if (status == MPI_STATUS_IGNORE) return;
  PMPI_Status_set_elements_x(status, MPI_BYTE, received.bytes);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = received.source;
  status->MPI_TAG = received.tag;
}

} // namespace

extern "C" {

int MPIX_Sysgroup_barrier(MPIX_Sysgroup group) {
  return carry_out("MPIX_Sysgroup_barrier", group, barrier());
}

int MPIX_Sysgroup_bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPIX_Sysgroup group) {
  return carry_out("MPIX_Sysgroup_bcast", group, bcast(buffer, count, datatype, root));
}

int MPIX_Sysgroup_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                         int root, MPIX_Sysgroup group) {
  return carry_out("MPIX_Sysgroup_reduce", group, reduce(sendbuf, recvbuf, count, datatype, op, root));
}

int MPIX_Sysgroup_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                            MPIX_Sysgroup group) {
  return carry_out("MPIX_Sysgroup_allreduce", group,
                   reduce(sendbuf, recvbuf, count, datatype, op, std::nullopt));
}

int MPIX_Sysgroup_gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         int recvcount, MPI_Datatype recvtype, int root, MPIX_Sysgroup group) {
  return gather("MPIX_Sysgroup_gather", {const_cast<void*>(sendbuf), sendcount, sendtype},
                {recvbuf, recvcount, recvtype}, root, group);
}

int MPIX_Sysgroup_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            int recvcount, MPI_Datatype recvtype, MPIX_Sysgroup group) {
  return gather("MPIX_Sysgroup_allgather", {const_cast<void*>(sendbuf), sendcount, sendtype},
                {recvbuf, recvcount, recvtype}, std::nullopt, group);
}

int MPIX_Sysgroup_scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                       MPIX_Sysgroup group) {
  constexpr const char* function = "MPIX_Sysgroup_scan";
  return take_part(function, group, [&](const std::shared_ptr<Sysgroup>& of, team::Member& member) {
    const void* const from = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    check_data(from, count, datatype);
    check_data(recvbuf, count, datatype);
    if (count > 0) check_apart(sendbuf, datatype, recvbuf, datatype);
    const auto reducer = reducer_of(op, datatype);
    if (!has_data(count, datatype)) return;
    sysgroup::pending::settle(*of, member);
    sysgroup::scan(
        member, *of,
        {function, {const_cast<void*>(from), count, datatype}, {recvbuf, count, datatype}, reducer});
  });
}

int MPIX_Sysgroup_send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                       MPIX_Sysgroup group) {
  constexpr const char* function = "MPIX_Sysgroup_send";
  return take_part(function, group, [&](const std::shared_ptr<Sysgroup>& of, team::Member& member) {
    check_data(buf, count, datatype);
    if (tag < 0) throw Rejected(MPI_ERR_TAG, "tag is " + std::to_string(tag));
    if (dest == MPI_PROC_NULL) return;
    check_peer(*of, dest, "dest");
    sysgroup::send(member, *of, transfer(function, const_cast<void*>(buf), count, datatype, dest, tag));
  });
}

int MPIX_Sysgroup_recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPIX_Sysgroup group,
                       MPI_Status* status) {
  constexpr const char* function = "MPIX_Sysgroup_recv";
  return take_part(function, group, [&](const std::shared_ptr<Sysgroup>& of, team::Member& member) {
    check_data(buf, count, datatype);
    if (tag < 0 && tag != MPI_ANY_TAG) throw Rejected(MPI_ERR_TAG, "tag is " + std::to_string(tag));
    if (!ranks::valid_status(status)) throw Rejected(MPI_ERR_ARG, "status is a null pointer");
    if (source == MPI_PROC_NULL) return set_status(status, {MPI_PROC_NULL, MPI_ANY_TAG, 0});
    if (source != MPI_ANY_SOURCE) check_peer(*of, source, "source");
    const auto wanted = transfer(function, buf, count, datatype, source, tag);
    set_status(status, sysgroup::receive(member, *of, wanted));
  });
}

int MPIX_Sysgroup_ibarrier(MPIX_Sysgroup group, MPI_Request* request) {
  return start("MPIX_Sysgroup_ibarrier", group, request, barrier());
}

int MPIX_Sysgroup_ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPIX_Sysgroup group,
                         MPI_Request* request) {
  return start("MPIX_Sysgroup_ibcast", group, request, bcast(buffer, count, datatype, root));
}

int MPIX_Sysgroup_ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                          int root, MPIX_Sysgroup group, MPI_Request* request) {
  return start("MPIX_Sysgroup_ireduce", group, request, reduce(sendbuf, recvbuf, count, datatype, op, root));
}

int MPIX_Sysgroup_iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                             MPIX_Sysgroup group, MPI_Request* request) {
  return start("MPIX_Sysgroup_iallreduce", group, request,
               reduce(sendbuf, recvbuf, count, datatype, op, std::nullopt));
}

} // extern "C"
