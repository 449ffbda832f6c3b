// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Linked into a test, this file hides the combiners of derived types, so that the library cannot decode them,
// like types of a newer MPI. Only even ranks hide them, since types may differ between ranks.

#include <mpi.h>

namespace {

int hide(int* combiner) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  constexpr int unknown = -1;
  if (*combiner != MPI_COMBINER_NAMED && rank % 2 == 0) *combiner = unknown;
  return MPI_SUCCESS;
}

} // namespace

#if MPI_VERSION >= 4
extern "C" int PMPI_Type_get_envelope_c(MPI_Datatype type, MPI_Count* integers, MPI_Count* addresses,
                                        MPI_Count* counts, MPI_Count* types, int* combiner) {
  const int code = MPI_Type_get_envelope_c(type, integers, addresses, counts, types, combiner);
  return code == MPI_SUCCESS ? hide(combiner) : code;
}
#else
extern "C" int PMPI_Type_get_envelope(MPI_Datatype type, int* integers, int* addresses, int* types,
                                      int* combiner) {
  const int code = MPI_Type_get_envelope(type, integers, addresses, types, combiner);
  return code == MPI_SUCCESS ? hide(combiner) : code;
}
#endif
