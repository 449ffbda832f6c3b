// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Functions of a tool that traces or profiles: each MPI_X calls PMPI_X.

#include "tools/intercept.hpp"

#include <mpi.h>

#include <cstdio>

namespace {

template <auto Pmpi>
struct Seen;

template <class... Arguments, int (*Pmpi)(Arguments...)>
struct Seen<Pmpi> {
  static int call(const char* name, Arguments... arguments) {
    tool::before(name);
    if (!tool::wants_after) return Pmpi(arguments...);
    const int code = Pmpi(arguments...);
    tool::after(name);
    return code;
  }
};

} // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  return Seen<PMPI_Init>::call("MPI_Init", argc, argv);
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return Seen<PMPI_Init_thread>::call("MPI_Init_thread", argc, argv, required, provided);
}

int MPI_Finalize() {
  // Queries and communicates for itself, as tools do.
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string text = tool::report("rank " + std::to_string(rank));
  PMPI_Barrier(MPI_COMM_WORLD);
  std::fputs(text.c_str(), stderr);
  return PMPI_Finalize();
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  return Seen<PMPI_Comm_rank>::call("MPI_Comm_rank", comm, rank);
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  return Seen<PMPI_Comm_size>::call("MPI_Comm_size", comm, size);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  return Seen<PMPI_Comm_dup>::call("MPI_Comm_dup", comm, copy);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* part) {
  return Seen<PMPI_Comm_split>::call("MPI_Comm_split", comm, color, key, part);
}

int MPI_Comm_free(MPI_Comm* comm) {
  return Seen<PMPI_Comm_free>::call("MPI_Comm_free", comm);
}

int MPI_Barrier(MPI_Comm comm) {
  return Seen<PMPI_Barrier>::call("MPI_Barrier", comm);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return Seen<PMPI_Bcast>::call("MPI_Bcast", buffer, count, type, root, comm);
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return Seen<PMPI_Allreduce>::call("MPI_Allreduce", send, receive, count, type, op, comm);
}

int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm) {
  return Seen<PMPI_Allgather>::call("MPI_Allgather", send, send_count, send_type, receive, receive_count,
                                    receive_type, comm);
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return Seen<PMPI_Send>::call("MPI_Send", buffer, count, type, to, tag, comm);
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return Seen<PMPI_Isend>::call("MPI_Isend", buffer, count, type, to, tag, comm, request);
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  return Seen<PMPI_Recv>::call("MPI_Recv", buffer, count, type, from, tag, comm, status);
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return Seen<PMPI_Irecv>::call("MPI_Irecv", buffer, count, type, from, tag, comm, request);
}

int MPI_Sendrecv(const void* send, int send_count, MPI_Datatype send_type, int to, int send_tag,
                 void* receive, int receive_count, MPI_Datatype receive_type, int from, int receive_tag,
                 MPI_Comm comm, MPI_Status* status) {
  return Seen<PMPI_Sendrecv>::call("MPI_Sendrecv", send, send_count, send_type, to, send_tag, receive,
                                   receive_count, receive_type, from, receive_tag, comm, status);
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  return Seen<PMPI_Probe>::call("MPI_Probe", from, tag, comm, status);
}

int MPI_Send_init(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return Seen<PMPI_Send_init>::call("MPI_Send_init", buffer, count, type, to, tag, comm, request);
}

int MPI_Start(MPI_Request* request) {
  return Seen<PMPI_Start>::call("MPI_Start", request);
}

int MPI_Request_free(MPI_Request* request) {
  return Seen<PMPI_Request_free>::call("MPI_Request_free", request);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return Seen<PMPI_Wait>::call("MPI_Wait", request, status);
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return Seen<PMPI_Waitall>::call("MPI_Waitall", count, requests, statuses);
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return Seen<PMPI_Test>::call("MPI_Test", request, flag, status);
}

int MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  return Seen<PMPI_Testall>::call("MPI_Testall", count, requests, flag, statuses);
}

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* base) {
  return Seen<PMPI_Alloc_mem>::call("MPI_Alloc_mem", size, info, base);
}

int MPI_Free_mem(void* base) {
  return Seen<PMPI_Free_mem>::call("MPI_Free_mem", base);
}

int MPI_Type_size(MPI_Datatype type, int* size) {
  return Seen<PMPI_Type_size>::call("MPI_Type_size", type, size);
}

int MPI_Type_free(MPI_Datatype* type) {
  return Seen<PMPI_Type_free>::call("MPI_Type_free", type);
}

int MPI_Error_class(int code, int* error_class) {
  return Seen<PMPI_Error_class>::call("MPI_Error_class", code, error_class);
}

int MPI_File_open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file) {
  return Seen<PMPI_File_open>::call("MPI_File_open", comm, name, mode, info, file);
}

int MPI_File_write_at_all(MPI_File file, MPI_Offset offset, const void* buffer, int count, MPI_Datatype type,
                          MPI_Status* status) {
  return Seen<PMPI_File_write_at_all>::call("MPI_File_write_at_all", file, offset, buffer, count, type,
                                            status);
}

#ifndef MPI_ABI_VERSION // there MPICH 5.0.2 has no PMPI_File_close
int MPI_File_close(MPI_File* file) {
  return Seen<PMPI_File_close>::call("MPI_File_close", file);
}
#endif

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in, const int* from, const int* from_weights, int out,
                                   const int* to, const int* to_weights, MPI_Info info, int reorder,
                                   MPI_Comm* graph) {
  return Seen<PMPI_Dist_graph_create_adjacent>::call("MPI_Dist_graph_create_adjacent", comm, in, from,
                                                     from_weights, out, to, to_weights, info, reorder, graph);
}

} // extern "C"
