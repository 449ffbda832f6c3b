// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Persistent collectives are made natively, and started by the library where the ranks have agreed that the
// team carries them. Those that it never carries are in counted.S.

#include <tuple>
#include <utility>

#include "collective/nonblocking.hpp"
#include "interpose/entry.hpp"

#if MPI_VERSION >= 4 || defined(MPI_HELPER_MPI_4_BUT_COUNTS)

using namespace helper;
using namespace helper::interpose;

namespace {

/// Has native MPI make the request, and keeps what is done when it is started. Where that fails the others
/// learn it when they start theirs.
template <auto Native, class... Arguments>
int keep(team::Member& member, MPI_Comm comm, MPI_Request* request,
         std::shared_ptr<const message::persistent::Operation>&& made, Arguments... arguments) {
  const int code = [&] {
    const team::JumpSafe<transport::Patience> patience(member);
    return Native(arguments...);
  }();
  if (code != MPI_SUCCESS) {
    transport::operation::fail(comm);
    return code;
  }
  try {
    message::persistent::keep(*request, std::move(made));
  } catch (const std::bad_alloc&) {
    PMPI_Request_free(request);
    transport::operation::fail(comm);
    throw ranks::MpiError(comm, MPI_ERR_NO_MEM);
  }
  return code;
}

/// Makes the persistent form of `Operation`, the non-blocking one, where the ranks agree to carry it. The
/// last arguments of `Native` are the communicator, an info, and the request.
template <auto Native, auto Operation>
constexpr auto made_persistent = [](team::Member& member, auto... arguments) -> std::optional<int> {
  constexpr std::size_t size = sizeof...(arguments);
  const std::tuple all(arguments...);
  MPI_Request* const request = std::get<size - 1>(all);
  std::shared_ptr<const message::persistent::Operation> kept;
  const collective::Making making(request, name_of<Native>, kept);
  const std::optional<int> code = [&]<std::size_t... at>(std::index_sequence<at...>) {
    return collective::started<Operation>(member, std::get<at>(all)..., making);
  }
  (std::make_index_sequence<size - 2>());
  if (!code) return std::nullopt;
  return keep<Native>(member, std::get<size - 3>(all), request, std::move(kept), arguments...);
};

} // namespace

extern "C" {

int MPI_Allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                       MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Allreduce_init, made_persistent<PMPI_Allreduce_init, collective::iallreduce>>::call(
      sendbuf, recvbuf, count, datatype, op, comm, info, request);
}

int MPI_Reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                    MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Reduce_init, made_persistent<PMPI_Reduce_init, collective::ireduce>>::call(
      sendbuf, recvbuf, count, datatype, op, root, comm, info, request);
}

int MPI_Reduce_scatter_init(const void* sendbuf, void* recvbuf, const int* recvcounts, MPI_Datatype datatype,
                            MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Reduce_scatter_init,
               made_persistent<PMPI_Reduce_scatter_init, collective::ireduce_scatter>>::call(sendbuf, recvbuf,
                                                                                             recvcounts,
                                                                                             datatype, op,
                                                                                             comm, info,
                                                                                             request);
}

int MPI_Reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                                  MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Reduce_scatter_block_init,
               made_persistent<PMPI_Reduce_scatter_block_init, collective::ireduce_scatter_block>>::
      call(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request);
}

int MPI_Scan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Scan_init, made_persistent<PMPI_Scan_init, collective::iscan>>::call(
      sendbuf, recvbuf, count, datatype, op, comm, info, request);
}

int MPI_Exscan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Exscan_init, made_persistent<PMPI_Exscan_init, collective::iexscan>>::call(
      sendbuf, recvbuf, count, datatype, op, comm, info, request);
}

#if MPI_VERSION >= 4 // with large counts

int MPI_Allreduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Allreduce_init_c, made_persistent<PMPI_Allreduce_init_c, collective::iallreduce>>::call(
      sendbuf, recvbuf, count, datatype, op, comm, info, request);
}

int MPI_Reduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                      int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Reduce_init_c, made_persistent<PMPI_Reduce_init_c, collective::ireduce>>::call(
      sendbuf, recvbuf, count, datatype, op, root, comm, info, request);
}

int MPI_Reduce_scatter_init_c(const void* sendbuf, void* recvbuf, const MPI_Count* recvcounts,
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                              MPI_Request* request) {
  return Entry<PMPI_Reduce_scatter_init_c,
               made_persistent<PMPI_Reduce_scatter_init_c, collective::ireduce_scatter>>::call(sendbuf,
                                                                                               recvbuf,
                                                                                               recvcounts,
                                                                                               datatype, op,
                                                                                               comm, info,
                                                                                               request);
}

int MPI_Reduce_scatter_block_init_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                    MPI_Request* request) {
  return Entry<PMPI_Reduce_scatter_block_init_c,
               made_persistent<PMPI_Reduce_scatter_block_init_c, collective::ireduce_scatter_block>>::
      call(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request);
}

int MPI_Scan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Scan_init_c, made_persistent<PMPI_Scan_init_c, collective::iscan>>::call(
      sendbuf, recvbuf, count, datatype, op, comm, info, request);
}

int MPI_Exscan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return Entry<PMPI_Exscan_init_c, made_persistent<PMPI_Exscan_init_c, collective::iexscan>>::call(
      sendbuf, recvbuf, count, datatype, op, comm, info, request);
}

#endif

} // extern "C"

#endif
