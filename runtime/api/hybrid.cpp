// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The hybrid collectives of mpi_helper.h.

#include "mpi_helper.h"

#include "api/guarded.hpp"
#include "hybrid/call.hpp"
#include "ranks/mpi_error.hpp"
#include "team/registry.hpp"

using namespace helper;

namespace {

int take_part_in(MPI_Helper_team team, hybrid::MemberCall call) {
  const char* const function = call.operation.name;
  return api::guarded(function, call.comm, [&] {
    try {
      hybrid::take_part(team::joined(team, function), call);
    } catch (const ranks::MpiError& error) {
      if (call.led) throw;
      throw ranks::MpiError(call.comm, error.code()); // MPI has called the handler only for the leader
    }
  });
}

} // namespace

extern "C" {

int MPIX_Helper_allreduce(MPI_Helper_team team, const void* sendbuf, void* recvbuf, int count,
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return take_part_in(team, {hybrid::allreduce, comm, sendbuf, recvbuf, count, datatype, op});
}

int MPIX_Helper_reduce_scatter_block(MPI_Helper_team team, const void* sendbuf, void* recvbuf, int recvcount,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return take_part_in(team, {hybrid::reduce_scatter_block, comm, sendbuf, recvbuf, recvcount, datatype, op});
}

int MPIX_Helper_allgather(MPI_Helper_team team, const void* sendbuf, void* recvbuf, int count,
                          MPI_Datatype datatype, MPI_Comm comm) {
  return take_part_in(team, {hybrid::allgather, comm, sendbuf, recvbuf, count, datatype});
}

int MPIX_Helper_bcast(MPI_Helper_team team, void* buffer, int count, MPI_Datatype datatype, int root,
                      MPI_Comm comm) {
  return take_part_in(team, {hybrid::bcast, comm, nullptr, buffer, count, datatype, MPI_OP_NULL, root});
}

int MPIX_Helper_barrier(MPI_Helper_team team, MPI_Comm comm) {
  return take_part_in(team, {hybrid::barrier, comm});
}

} // extern "C"
