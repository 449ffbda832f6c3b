/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* Before MPI_Init and after MPI_Finalize, calls of the interface are refused, except for the version.
 * MPI_Finalize reports a team that was not freed. */

#include <mpi_helper.h>

#include <stdio.h>
#include <string.h>

static char last_error[MPI_MAX_ERROR_STRING];

static void remember(MPI_Comm* comm, int* code, ...) {
  int length = 0;
  (void)comm;
  MPI_Error_string(*code, last_error, &length);
}

static int expect(int condition, const char* what) {
  if (!condition) fprintf(stderr, "not so: %s\n", what);
  return condition;
}

static int has_version(void) {
  int major = -1;
  int minor = -1;
  int patch = -1;
  return MPIX_Helper_version(&major, &minor, &patch) == MPI_SUCCESS && major == MPIX_HELPER_VERSION_MAJOR &&
         minor == MPIX_HELPER_VERSION_MINOR && patch == MPIX_HELPER_VERSION_PATCH &&
         MPIX_Helper_version(NULL, NULL, NULL) == MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  MPI_Errhandler handler;
  int good =
      expect(MPI_Helper_team_create(1, 1, &team) == MPI_ERR_OTHER, "CREATE before MPI_Init is refused");
  good = expect(has_version(), "the version is that of the header before MPI_Init") && good;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_errhandler(remember, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  good = expect(MPI_Helper_team_create(42, 3, &team) == MPI_SUCCESS, "CREATE succeeds") && good;
  good = expect(MPI_Finalize() != MPI_SUCCESS, "MPI_Finalize fails when a team lives") && good;
  good = expect(strstr(last_error, "team_id 42") != NULL, "the error names the team") && good;
  good = expect(MPI_Helper_team_free(&team) == MPI_ERR_OTHER, "FREE after MPI_Finalize is refused") && good;
  good = expect(has_version(), "the version is that of the header after MPI_Finalize") && good;
  return good ? 0 : 1;
}
