/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

#include <mpi_helper.h>

int main(int argc, char** argv) {
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  int ranks = 0, sum = 0, error_class = MPI_SUCCESS;
  const int one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  MPI_Helper_team_create(0, 1, &team);
  MPI_Helper_join(team);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Helper_leave(team);
  MPI_Helper_team_free(&team);

  /* Only MPI_Error_class of the library knows the codes of the library. So this shows that MPI calls reach
   * the library. */
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_Helper_team_create(0, -1, &team), &error_class);
  MPI_Finalize();
  return sum == ranks && team == MPI_HELPER_TEAM_NULL && error_class == MPI_ERR_ARG ? 0 : 1;
}
