// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Makes the library believe that every two ranks have their own node, so that few ranks are on several nodes.
// MPI_Comm_split_type says so. Files in /dev/shm, which would disprove that, cannot be created.

#include <dlfcn.h>
#include <mpi.h>
#include <sys/types.h>

#include <cerrno>
#include <string_view>

extern "C" int PMPI_Comm_split_type(MPI_Comm comm, int, int key, MPI_Info, MPI_Comm* newcomm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return PMPI_Comm_split(comm, rank / 2, key, newcomm);
}

extern "C" int shm_open(const char* name, int flags, mode_t mode) noexcept {
  using Open = int (*)(const char*, int, mode_t);
  static const auto next = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "shm_open"));
  if (!std::string_view(name).starts_with("/mpi_helper")) return next(name, flags, mode);
  errno = EACCES;
  return -1;
}
