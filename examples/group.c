/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A communicator that its members alone create: all ranks but 0, which goes on with other work. */
#include "rates.h"

static MPI_Comm comm;

static void allreduce(void) {
  MPI_Allreduce(x, sum, COUNT, MPI_DOUBLE, MPI_SUM, comm);
}

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) return MPI_Finalize();
  MPI_Group world, members;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_excl(world, 1, &(int){0}, &members);
  MPIX_Group_comm_create(MPI_COMM_WORLD, members, 0, &comm);
  x[COUNT - 1] = rank;
  print_rates(allreduce, rank == 1);
  if (rank == 1) printf("sum %g\n", sum[COUNT - 1]);
  MPI_Group_free(&members);
  MPI_Group_free(&world);
  MPI_Comm_free(&comm);
  return MPI_Finalize();
}
