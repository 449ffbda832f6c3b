/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A hybrid collective in an OpenMP program: Jacobi's method, whose threads all need the norm of the residual
 * after every step. Each contributes the part of its own rows, in one call, and has the sum over all threads
 * of all processes; there is no shared variable to add to, and no barrier around the communication. */

#include "arguments.h"

#include <math.h>
#include <mpi_helper.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1000 };

/* Rows of a system whose matrix is 4 on the diagonal and -1 beside it, within blocks of ROWS rows. */
static double x[ROWS + 2], next[ROWS + 2];

static double right_hand_side(int row, int rank) {
  return row % 10 + rank;
}

int main(int argc, char** argv) {
  int provided, rank, wrong = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  read_arguments(argc, argv, 0, NULL, NULL, NULL);

#pragma omp parallel reduction(+ : wrong)
  {
    double norm = 1;
    MPI_Helper_team team;
    MPI_Helper_team_create(0, omp_get_num_threads(), &team);
    MPI_Helper_join(team);

    while (norm > 1e-10) {
      double squares = 0;
#pragma omp for nowait
      for (int row = 1; row <= ROWS; ++row) {
        next[row] = (right_hand_side(row, rank) + x[row - 1] + x[row + 1]) / 4;
        squares += (next[row] - x[row]) * (next[row] - x[row]);
      }
      /* Returns when all threads have come, so all of `next` is there. */
      MPIX_Helper_allreduce(team, &squares, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      norm = sqrt(norm);
#pragma omp for
      for (int row = 1; row <= ROWS; ++row) x[row] = next[row];
    }

    MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);

#pragma omp for
    for (int row = 1; row <= ROWS; ++row)
      wrong += fabs(4 * x[row] - x[row - 1] - x[row + 1] - right_hand_side(row, rank)) > 1e-8;
  }

  if (wrong == 0 && rank == 0) printf("The solution is right: %d rows in each process\n", ROWS);
  if (wrong > 0) fprintf(stderr, "rank %d: %d of %d rows are wrong\n", rank, wrong, ROWS);
  MPI_Finalize();
  return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
