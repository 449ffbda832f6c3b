// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Persistent sends and receives may be made outside of a phase and started in one.

#include "interpose/entry.hpp"
#include "interpose/look_again.hpp"
#include "message/message.hpp"

using namespace helper;
using namespace helper::interpose;

namespace {

/// Makes a persistent request with the function `Init` and keeps what it is to do.
template <auto Init, class Keep, class... Arguments>
int made(const Keep& keep, MPI_Request* request, Arguments... arguments) {
  const int code = Init(arguments..., request);
  if (code != MPI_SUCCESS) return code;
  try {
    keep(*request, arguments...);
    message::persistent::begin_lasting(*request, false);
    return code;
  } catch (...) {
    PMPI_Request_free(request);
    return report_failure();
  }
}

/// Keeps a send that `Start` starts.
template <auto Start>
constexpr auto keep_send = [](MPI_Request request, auto... arguments) {
  message::persistent::keep_send(request, Start, arguments...);
};

#ifdef MPI_HELPER_PARTITIONED

/// Makes a partitioned request with the function `Init`.
template <auto Init, class Buffer>
int made_partitioned(bool is_send, Buffer buffer, int partitions, MPI_Count count, MPI_Datatype type,
                     int peer, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const auto make = [&] {
    try {
      const message::partitioned::Arguments call{is_send, buffer, partitions, count, type,
                                                 peer,    tag,    comm,       info};
      const bool is_in_phase = process::present_member() != nullptr;
      team::JumpSafe<message::partitioned::Making> making;
      making->begin(call, is_in_phase);
      const int code = Init(buffer, partitions, count, type, peer, tag, comm, info, request);
      if (code == MPI_SUCCESS) making->keep(*request);
      return code;
    } catch (...) {
      return report_failure();
    }
  };
  return counted<Init>(make, request);
}

#endif

} // namespace

extern "C" {

int MPI_Send_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return made<PMPI_Send_init>(keep_send<PMPI_Isend>, request, buf, count, datatype, dest, tag, comm);
}

int MPI_Ssend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  return made<PMPI_Ssend_init>(keep_send<PMPI_Issend>, request, buf, count, datatype, dest, tag, comm);
}

int MPI_Rsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  return made<PMPI_Rsend_init>(keep_send<PMPI_Irsend>, request, buf, count, datatype, dest, tag, comm);
}

int MPI_Recv_init(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return made<PMPI_Recv_init>(message::persistent::keep_receive, request, buf, count, datatype, source, tag,
                              comm);
}

int MPI_Start(MPI_Request* request) {
  return ReceivingEntry<PMPI_Start, message::persistent::start>::call(request);
}

int MPI_Startall(int count, MPI_Request* requests) {
  return ReceivingEntry<PMPI_Startall, message::persistent::startall>::call(count, requests);
}

int MPI_Request_free(MPI_Request* request) {
  if (request != nullptr) message::persistent::release(*request);
  return ReceivingEntry<PMPI_Request_free, message::request_free>::call(request);
}

int MPI_Cancel(MPI_Request* request) {
  if (shm::traffic::is_behind()) shm::traffic::catch_up(); // or what has come would be cancelled
  return ReceivingEntry<PMPI_Cancel, message::cancel>::call(request);
}

#ifdef MPI_HELPER_PARTITIONED // see counted.S, too

int MPI_Psend_init(const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return made_partitioned<PMPI_Psend_init>(true, buf, partitions, count, datatype, dest, tag, comm, info,
                                           request);
}

int MPI_Precv_init(void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return made_partitioned<PMPI_Precv_init>(false, buf, partitions, count, datatype, source, tag, comm, info,
                                           request);
}

int MPI_Pready(int partition, MPI_Request request) {
  return ReceivingEntry<PMPI_Pready, message::partitioned::pready>::call(partition, request);
}

int MPI_Pready_range(int partition_low, int partition_high, MPI_Request request) {
  return ReceivingEntry<PMPI_Pready_range, message::partitioned::pready_range>::call(partition_low,
                                                                                     partition_high, request);
}

int MPI_Pready_list(int length, int* array_of_partitions, MPI_Request request) {
  return ReceivingEntry<PMPI_Pready_list, message::partitioned::pready_list>::call(
      length, array_of_partitions, request);
}

int MPI_Parrived(MPI_Request request, int partition, int* flag) {
  return look_again(flag, [&] {
    return ReceivingEntry<PMPI_Parrived, message::partitioned::parrived>::call(request, partition, flag);
  });
}

#endif
#if MPI_VERSION >= 4 // with large counts

int MPI_Send_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                    MPI_Request* request) {
  return made<PMPI_Send_init_c>(keep_send<PMPI_Isend>, request, buf, count, datatype, dest, tag, comm);
}

int MPI_Ssend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm, MPI_Request* request) {
  return made<PMPI_Ssend_init_c>(keep_send<PMPI_Issend>, request, buf, count, datatype, dest, tag, comm);
}

int MPI_Rsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm, MPI_Request* request) {
  return made<PMPI_Rsend_init_c>(keep_send<PMPI_Irsend>, request, buf, count, datatype, dest, tag, comm);
}

int MPI_Recv_init_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                    MPI_Request* request) {
  return made<PMPI_Recv_init_c>(message::persistent::keep_receive, request, buf, count, datatype, source, tag,
                                comm);
}

#endif

} // extern "C"
