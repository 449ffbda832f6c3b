/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

#ifndef RATES_H
#define RATES_H

#include <mpi_helper.h>
#include <omp.h>
#include <stdio.h>

enum { COUNT = 1 << 20 };
static double x[COUNT], sum[COUNT];

/* Prints, at one rank, at how many GB/s `call` reduces x to sum, by one thread alone and with a team of all
 * threads. */
static inline void print_rates(void (*call)(void), int prints) {
  enum { CALLS = 20 };
#pragma omp parallel
  for (int round = 0; round < 4; ++round) { /* 0 and 1 warm up; 1 and 3 have a team */
    MPI_Helper_team team;
    MPI_Helper_team_create(0, omp_get_num_threads(), &team);
    if (round % 2 == 1) MPI_Helper_join(team);
    if (omp_get_thread_num() == 0) {
      const double begin = MPI_Wtime();
      for (int i = 0; i < CALLS; ++i) call();
      const double rate = CALLS * sizeof x / (MPI_Wtime() - begin) / 1e9;
      if (prints && round > 1) printf("%s a team: %.2f GB/s\n", round % 2 == 1 ? "with" : "without", rate);
    }
    if (round % 2 == 1) MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
#pragma omp barrier
  }
}

#endif
