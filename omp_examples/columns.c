/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* See columns.h. A program that does not use teams. It calls MPI outside parallel regions or, with the
 * argument `region`, in one region around all steps, while the other threads wait. If the library is
 * preloaded with MPI_HELPER_THREADS=openmp, the waiting threads help. */

#include "columns.h"

int main(int argc, char** argv) {
  begin(&argc, &argv, "region");
  if (argc > 3) {
#pragma omp parallel
    for (int step = 0; step < steps; ++step) {
      compute(step);
#pragma omp master
      exchange(step);
#pragma omp barrier
      check(step);
    }
  } else {
    for (int step = 0; step < steps; ++step) {
#pragma omp parallel
      compute(step);
      exchange(step);
#pragma omp parallel
      check(step);
    }
  }
  return end();
}
