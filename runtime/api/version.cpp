// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "mpi_helper.h"

extern "C" int MPIX_Helper_version(int* major, int* minor, int* patch) {
  if (major != nullptr) *major = MPIX_HELPER_VERSION_MAJOR;
  if (minor != nullptr) *minor = MPIX_HELPER_VERSION_MINOR;
  if (patch != nullptr) *patch = MPIX_HELPER_VERSION_PATCH;
  return MPI_SUCCESS;
}
