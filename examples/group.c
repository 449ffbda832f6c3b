/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A communicator that its members alone create: all ranks but 0, which goes on with other work. */
#include <mpi_helper.h>
#include <omp.h>
#include <stdio.h>

enum { COUNT = 1 << 20, CALLS = 20 };
static double x[COUNT], sum[COUNT];

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) return MPI_Finalize();
  MPI_Group world, members;
  MPI_Comm comm;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_excl(world, 1, &(int){0}, &members);
  MPIX_Group_comm_create(MPI_COMM_WORLD, members, 0, &comm);
  x[COUNT - 1] = rank;
#pragma omp parallel
  for (int round = 0; round < 4; ++round) { /* 0 and 1 warm up; 1 and 3 have a team */
    MPI_Helper_team team;
    MPI_Helper_team_create(0, omp_get_num_threads(), &team);
    if (round % 2 == 1) MPI_Helper_join(team);
    if (omp_get_thread_num() == 0) {
      const double begin = MPI_Wtime();
      for (int i = 0; i < CALLS; ++i) MPI_Allreduce(x, sum, COUNT, MPI_DOUBLE, MPI_SUM, comm);
      const double rate = CALLS * sizeof x / (MPI_Wtime() - begin) / 1e9;
      if (rank == 1 && round > 1) printf("%s a team: %.2f GB/s\n", round % 2 == 1 ? "with" : "without", rate);
    }
    if (round % 2 == 1) MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
#pragma omp barrier
  }
  if (rank == 1) printf("sum %g\n", sum[COUNT - 1]);
  MPI_Group_free(&members);
  MPI_Group_free(&world);
  MPI_Comm_free(&comm);
  return MPI_Finalize();
}
