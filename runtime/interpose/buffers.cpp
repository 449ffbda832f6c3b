// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The functions of buffers for MPI_Bsend that block in MPI, and those that begin to flush one.

#include "interpose/rescue.hpp"

using namespace helper;
using namespace helper::interpose;

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)

namespace {

/// Begins a flush that does not block, and counts its request. There may be none: quirk
/// flush_without_request.
template <auto Native, class... Arguments>
int begin_flush(MPI_Request* request, Arguments... arguments) {
  namespace traffic = shm::traffic;
  traffic::send();
  traffic::begin();
  const int code = Native(arguments..., request);
  if (code != MPI_SUCCESS || not_over(request) == 0) traffic::end(1);
  return code;
}

} // namespace

#endif

extern "C" {

int MPI_Buffer_detach(void* buffer_addr, int* size) {
  return Entry<PMPI_Buffer_detach, rescue>::call(buffer_addr, size);
}

#if MPI_VERSION >= 4 // with large counts

int MPI_Buffer_detach_c(void* buffer_addr, MPI_Count* size) {
  return Entry<PMPI_Buffer_detach_c, rescue>::call(buffer_addr, size);
}

#endif

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1) // of communicators and sessions

int MPI_Buffer_flush() {
  return Entry<PMPI_Buffer_flush, rescue>::call();
}

int MPI_Comm_flush_buffer(MPI_Comm comm) {
  return Entry<PMPI_Comm_flush_buffer, rescue>::call(comm);
}

int MPI_Session_flush_buffer(MPI_Session session) {
  return Entry<PMPI_Session_flush_buffer, rescue>::call(session);
}

int MPI_Buffer_iflush(MPI_Request* request) {
  return begin_flush<PMPI_Buffer_iflush>(request);
}

int MPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request* request) {
  return begin_flush<PMPI_Comm_iflush_buffer>(request, comm);
}

int MPI_Session_iflush_buffer(MPI_Session session, MPI_Request* request) {
  return begin_flush<PMPI_Session_iflush_buffer>(request, session);
}

int MPI_Comm_detach_buffer(MPI_Comm comm, void* buffer_addr, int* size) {
  return Entry<PMPI_Comm_detach_buffer, rescue>::call(comm, buffer_addr, size);
}

int MPI_Comm_detach_buffer_c(MPI_Comm comm, void* buffer_addr, MPI_Count* size) {
  return Entry<PMPI_Comm_detach_buffer_c, rescue>::call(comm, buffer_addr, size);
}

int MPI_Session_detach_buffer(MPI_Session session, void* buffer_addr, int* size) {
  return Entry<PMPI_Session_detach_buffer, rescue>::call(session, buffer_addr, size);
}

int MPI_Session_detach_buffer_c(MPI_Session session, void* buffer_addr, MPI_Count* size) {
  return Entry<PMPI_Session_detach_buffer_c, rescue>::call(session, buffer_addr, size);
}

#endif

} // extern "C"
