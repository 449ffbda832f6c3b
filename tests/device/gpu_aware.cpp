// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Linked into a test, this file makes MPI accept the addresses of the imitated GPU. It replaces the functions
// that these tests call. Blocking functions let the CPU touch the memory while they run. Non-blocking
// functions pass the addresses at which the CPU sees the same bytes.

#include "device/stand_in.hpp"

#include <dlfcn.h>
#include <mpi.h>

namespace {

/// Returns the address at which the CPU sees an MPI buffer. With MPI_BOTTOM, the addresses in `type` decide.
template <class Buffer>
Buffer* reached(Buffer* buffer, MPI_Datatype type) {
  MPI_Aint lower = 0, extent = 0;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_get_true_extent(type, &lower, &extent) != MPI_SUCCESS)
    return buffer;
  const auto address = reinterpret_cast<std::uintptr_t>(buffer);
  const auto first = reinterpret_cast<const void*>(address + static_cast<std::uintptr_t>(lower));
  return reinterpret_cast<Buffer*>(address + static_cast<std::uintptr_t>(stand_in::stand_in_distance(first)));
}

/// Returns the function `name` of MPI, which the one in this file replaces.
template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct Opened {
  Opened() { stand_in::stand_in_open(true); }
  ~Opened() { stand_in::stand_in_open(false); }
};

} // namespace

extern "C" {

int PMPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  static const auto native = next(&PMPI_Isend, "PMPI_Isend");
  return native(reached(buffer, type), count, type, to, tag, comm, request);
}

int PMPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
               MPI_Request* request) {
  static const auto native = next(&PMPI_Irecv, "PMPI_Irecv");
  return native(reached(buffer, type), count, type, from, tag, comm, request);
}

int PMPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  static const auto native = next(&PMPI_Imrecv, "PMPI_Imrecv");
  return native(reached(buffer, type), count, type, message, request);
}

int PMPI_Sendrecv(const void* out, int outs, MPI_Datatype out_type, int to, int out_tag, void* in, int ins,
                  MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
  static const auto native = next(&PMPI_Sendrecv, "PMPI_Sendrecv");
  const Opened opened;
  return native(out, outs, out_type, to, out_tag, in, ins, in_type, from, in_tag, comm, status);
}

#if MPI_VERSION >= 4 // the forms with large counts

int PMPI_Isend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  static const auto native = next(&PMPI_Isend_c, "PMPI_Isend_c");
  return native(reached(buffer, type), count, type, to, tag, comm, request);
}

int PMPI_Irecv_c(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  static const auto native = next(&PMPI_Irecv_c, "PMPI_Irecv_c");
  return native(reached(buffer, type), count, type, from, tag, comm, request);
}

int PMPI_Imrecv_c(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Message* message,
                  MPI_Request* request) {
  static const auto native = next(&PMPI_Imrecv_c, "PMPI_Imrecv_c");
  return native(reached(buffer, type), count, type, message, request);
}

int PMPI_Sendrecv_c(const void* out, MPI_Count outs, MPI_Datatype out_type, int to, int out_tag, void* in,
                    MPI_Count ins, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                    MPI_Status* status) {
  static const auto native = next(&PMPI_Sendrecv_c, "PMPI_Sendrecv_c");
  const Opened opened;
  return native(out, outs, out_type, to, out_tag, in, ins, in_type, from, in_tag, comm, status);
}

#endif
}
