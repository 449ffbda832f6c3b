/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A team that the library pins. Each member prints its cores. The argument is compact, scatter, numa, none,
 * or a list of cores such as 0-3,8. */

#define _GNU_SOURCE /* for sched_getaffinity */

#include <mpi_helper.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>

enum { COUNT = 1 << 20, CALLS = 20 };

static double x[COUNT], sum[COUNT];

static void print_cores(int rank) {
  cpu_set_t cores;
  char list[CPU_SETSIZE * 5] = "", *end = list;
  sched_getaffinity(0, sizeof cores, &cores);
  for (size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &cores)) end += sprintf(end, " %zu", core);
  printf("rank %d, thread %d: cores%s\n", rank, omp_get_thread_num(), list);
}

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Info info;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_helper_placement", argc > 1 ? argv[1] : "compact");

#pragma omp parallel
  for (int round = 0; round < 4; ++round) { /* 0 and 1 warm up; 1 and 3 have a team */
    MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
    if (round % 2 == 1) {
      MPIX_Helper_team_create_info(0, omp_get_num_threads(), info, &team); /* pins the calling thread */
      if (round == 3) print_cores(rank);
      MPI_Helper_join(team);
    }
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      const double begin = MPI_Wtime();
      for (int call = 0; call < CALLS; ++call)
        MPI_Allreduce(x, sum, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      const double rate = CALLS * sizeof x / (MPI_Wtime() - begin) / 1e9;
      if (rank == 0 && round > 1) printf("%s a team: %.2f GB/s\n", round % 2 == 1 ? "with" : "without", rate);
    }
    if (round % 2 == 1) {
      MPI_Helper_leave(team);
      MPI_Helper_team_free(&team); /* undoes the binding */
    }
#pragma omp barrier
  }
  MPI_Info_free(&info);
  MPI_Finalize();
  return 0;
}
