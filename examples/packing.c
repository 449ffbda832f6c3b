/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A process sends the cells that a list names round a ring, by a datatype of two functions. Without a team
 * one thread calls them, with a team all its members do. No number is cut. */

#include <mpi_helper.h>
#include <omp.h>
#include <stdio.h>

enum { CELLS = 1 << 20, LISTED = CELLS / 4, BYTES = LISTED * sizeof(double), CALLS = 20 };
static double cells[CELLS], halo[CELLS];
static int list[LISTED];

static void pack(const void* from, MPI_Count offset, MPI_Count length, void* target, void* places) {
  const int* place = (const int*)places + offset / 8;
  for (MPI_Count i = 0; i < length / 8; ++i) ((double*)target)[i] = ((const double*)from)[place[i]];
}

static void unpack(void* to, MPI_Count offset, MPI_Count length, const void* source, void* places) {
  const int* place = (const int*)places + offset / 8;
  for (MPI_Count i = 0; i < length / 8; ++i) ((double*)to)[place[i]] = ((const double*)source)[i];
}

int main(int argc, char** argv) {
  int provided, rank, ranks;
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Datatype listed;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &ranks);
  for (int i = 0; i < LISTED; ++i) list[i] = (int)(i * 1021LL % LISTED * 4); /* in no order */
  for (int i = 0; i < CELLS; ++i) cells[i] = rank + i;
  MPIX_Helper_type_create(pack, unpack, BYTES, list, &listed);

#pragma omp parallel
  {
    MPI_Helper_team team;
    MPI_Helper_team_create(0, omp_get_num_threads(), &team);
    for (int round = 0; round < 4; ++round) { /* 0 and 1 warm up; 1 and 3 have a team */
      if (round % 2) MPI_Helper_join(team);
#pragma omp barrier
      if (omp_get_thread_num() == 0) {
        const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
        const double begin = MPI_Wtime();
        for (int call = 0; call < CALLS; ++call)
          MPI_Sendrecv(cells, 1, listed, next, 0, halo, 1, listed, before, 0, world, MPI_STATUS_IGNORE);
        const double rate = CALLS * (double)BYTES / (MPI_Wtime() - begin) / 1e9;
        if (rank == 0 && round > 1) printf("%s a team: %.2f GB/s\n", round % 2 ? "with" : "without", rate);
        if (halo[list[9]] != before + list[9]) MPI_Abort(world, 1);
      }
      if (round % 2) MPI_Helper_leave(team);
#pragma omp barrier
    }
    MPI_Helper_team_free(&team);
  }
  MPI_Type_free(&listed);
  MPI_Finalize();
  return 0;
}
