/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A system-ranked group: all ranks but 0 enrol, and reduce along the tree of the group. */
#include <mpi_helper.h>
#include <omp.h>
#include <stdio.h>

enum { COUNT = 1 << 20, CALLS = 20 };
static double x[COUNT], sum[COUNT];

int main(int argc, char** argv) {
  int provided, rank;
  MPIX_Sysgroup all, some;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &all);
  MPIX_Sysgroup_enroll(all, rank > 0, MPI_INFO_NULL, &some); /* rank 0 gets MPIX_SYSGROUP_NULL */
  MPIX_Sysgroup_free(&all);
  if (rank == 0) return MPI_Finalize();
  x[COUNT - 1] = rank;
  MPIX_Sysgroup_rank(some, &rank); /* the library assigned it */
#pragma omp parallel
  for (int round = 0; round < 4; ++round) { /* 0 and 1 warm up; 1 and 3 have a team */
    MPI_Helper_team team;
    MPI_Helper_team_create(0, omp_get_num_threads(), &team);
    if (round % 2 == 1) MPI_Helper_join(team);
    if (omp_get_thread_num() == 0) {
      const double begin = MPI_Wtime();
      for (int i = 0; i < CALLS; ++i) MPIX_Sysgroup_allreduce(x, sum, COUNT, MPI_DOUBLE, MPI_SUM, some);
      const double rate = CALLS * sizeof x / (MPI_Wtime() - begin) / 1e9;
      if (rank == 0 && round > 1) printf("%s a team: %.2f GB/s\n", round % 2 == 1 ? "with" : "without", rate);
    }
    if (round % 2 == 1) MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
#pragma omp barrier
  }
  if (rank == 0) printf("sum %g\n", sum[COUNT - 1]);
  MPIX_Sysgroup_free(&some);
  return MPI_Finalize();
}
