// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The predefined types in a process that has not called MPI_Init. Executables with this file call these
// PMPI_X instead of MPICH's.

#include <mpi.h>

namespace {

/// Returns the size of a predefined type, which its handle contains, or 0 for a type with gaps.
int size_of(MPI_Datatype type) {
  const auto handle = static_cast<unsigned>(type);
  return handle >> 24 == 0x4c ? static_cast<int>(handle >> 8 & 0xff) : 0;
}

} // namespace

int PMPI_Type_size(MPI_Datatype type, int* size) {
  *size = size_of(type);
  return MPI_SUCCESS;
}

int PMPI_Type_size_c(MPI_Datatype type, MPI_Count* size) {
  *size = size_of(type);
  return MPI_SUCCESS;
}

int PMPI_Type_get_extent_c(MPI_Datatype type, MPI_Count* lower_bound, MPI_Count* extent) {
  *lower_bound = 0;
  *extent = size_of(type);
  return MPI_SUCCESS;
}

int PMPI_Type_get_extent_x(MPI_Datatype type, MPI_Count* lower_bound, MPI_Count* extent) {
  return PMPI_Type_get_extent_c(type, lower_bound, extent);
}

/// All types are predefined.
int PMPI_Type_get_envelope_c(MPI_Datatype, MPI_Count* integers, MPI_Count* addresses, MPI_Count* counts,
                             MPI_Count* types, int* combiner) {
  *integers = *addresses = *counts = *types = 0;
  *combiner = MPI_COMBINER_NAMED;
  return MPI_SUCCESS;
}

/// There is no GPU memory.
int MPIX_Query_cuda_support() {
  return 0;
}
int MPIX_Query_hip_support() {
  return 0;
}

/// Types have no attributes.
int PMPI_Type_create_keyval(MPI_Type_copy_attr_function*, MPI_Type_delete_attr_function*, int* keyval,
                            void*) {
  *keyval = 1;
  return MPI_SUCCESS;
}
int PMPI_Type_set_attr(MPI_Datatype, int, void*) {
  return MPI_SUCCESS;
}
int PMPI_Type_get_attr(MPI_Datatype, int, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

int PMPI_Type_size_x(MPI_Datatype type, MPI_Count* size) {
  *size = size_of(type);
  return MPI_SUCCESS;
}
