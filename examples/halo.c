/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A halo exchange: the processes are a ring, and each sends its outermost layers of cells to both neighbours.
 * A layer is a derived datatype of single doubles, which the whole team packs and unpacks. */

#include <mpi_helper.h>
#include <omp.h>
#include <stdio.h>

enum { ROWS = 1 << 16, WIDTH = 62, CALLS = 20 };

static double cells[ROWS][WIDTH + 2]; /* columns 0 and WIDTH + 1 are the halo */

int main(int argc, char** argv) {
  int provided, rank, ranks;
  MPI_Datatype column;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Type_vector(ROWS, 1, WIDTH + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;

#pragma omp parallel
  {
    MPI_Helper_team team;
    MPI_Helper_team_create(0, omp_get_num_threads(), &team);
    for (int round = 0; round < 4; ++round) { /* 0 and 1 warm up; 1 and 3 have a team */
#pragma omp for
      for (int i = 0; i < ROWS; ++i) cells[i][1] = cells[i][WIDTH] = rank + i + round;

      if (round % 2 == 1) MPI_Helper_join(team);
#pragma omp barrier
      if (omp_get_thread_num() == 0) {
        const double begin = MPI_Wtime();
        for (int call = 0; call < CALLS; ++call) {
          MPI_Request requests[4];
          MPI_Status statuses[4];
          MPI_Irecv(&cells[0][0], 1, column, left, 0, MPI_COMM_WORLD, &requests[0]);
          MPI_Irecv(&cells[0][WIDTH + 1], 1, column, right, 1, MPI_COMM_WORLD, &requests[1]);
          MPI_Isend(&cells[0][WIDTH], 1, column, right, 0, MPI_COMM_WORLD, &requests[2]);
          MPI_Isend(&cells[0][1], 1, column, left, 1, MPI_COMM_WORLD, &requests[3]);
          MPI_Waitall(4, requests, statuses);
        }
        const double rate = CALLS * 2.0 * ROWS * sizeof(double) / (MPI_Wtime() - begin) / 1e9;
        if (rank == 0 && round > 1)
          printf("%s a team: %.2f GB/s\n", round % 2 == 1 ? "with" : "without", rate);
      }
      if (round % 2 == 1) MPI_Helper_leave(team);
#pragma omp barrier
      const int wrong = cells[9][0] != left + 9 + round || cells[9][WIDTH + 1] != right + 9 + round;
      if (wrong) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Helper_team_free(&team);
  }
  MPI_Type_free(&column);
  MPI_Finalize();
  return 0;
}
