/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* See columns.h. All steps are in one region. The threads that wait for the first thread lend themselves. */

#include "columns.h"

#include <mpi_helper.h>
#include <omp.h>

int main(int argc, char** argv) {
  begin(&argc, &argv, NULL);
#pragma omp parallel
  {
    MPI_Helper_team team;
    MPI_Helper_team_create(0, omp_get_num_threads(), &team);
    for (int step = 0; step < steps; ++step) {
      compute(step);
      MPI_Helper_join(team);
#pragma omp master
      exchange(step);
      MPI_Helper_leave(team);
      check(step);
    }
    MPI_Helper_team_free(&team);
  }
  return end();
}
