/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A system-ranked group: all ranks but 0 enrol, and reduce along the tree of the group. */
#include "rates.h"

static MPIX_Sysgroup some;

static void allreduce(void) {
  MPIX_Sysgroup_allreduce(x, sum, COUNT, MPI_DOUBLE, MPI_SUM, some);
}

int main(int argc, char** argv) {
  int provided, rank;
  MPIX_Sysgroup all;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &all);
  MPIX_Sysgroup_enroll(all, rank > 0, MPI_INFO_NULL, &some); /* rank 0 gets MPIX_SYSGROUP_NULL */
  MPIX_Sysgroup_free(&all);
  if (rank == 0) return MPI_Finalize();
  x[COUNT - 1] = rank;
  MPIX_Sysgroup_rank(some, &rank); /* the library assigned it */
  print_rates(allreduce, rank == 0);
  if (rank == 0) printf("sum %g\n", sum[COUNT - 1]);
  MPIX_Sysgroup_free(&some);
  return MPI_Finalize();
}
