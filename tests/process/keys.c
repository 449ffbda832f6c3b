/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers */
/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * keys FUNCTION [KEY VALUE]... - calls a function with an info object that has these keys. FUNCTION is
 * team, group, from_comm, enroll or split.
 */
#include <mpi.h>
#include <mpi_helper.h>
#include <stdio.h>
#include <string.h>

static int call(const char* function, MPI_Info info) {
  if (!strcmp(function, "team")) {
    MPI_Helper_team team;
    return MPIX_Helper_team_create_info(1, 1, info, &team) || MPI_Helper_team_free(&team);
  }
  if (!strcmp(function, "group")) {
    MPI_Group all;
    MPI_Comm made;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    const int code = MPIX_Group_comm_create_info(MPI_COMM_WORLD, all, 0, info, &made);
    return code || MPI_Group_free(&all) || MPI_Comm_free(&made);
  }
  const int is_parent = !strcmp(function, "from_comm");
  MPIX_Sysgroup parent, group;
  if (MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, is_parent ? info : MPI_INFO_NULL, &parent)) return 1;
  if (is_parent) return MPIX_Sysgroup_free(&parent);
  const int code = !strcmp(function, "split") ? MPIX_Sysgroup_split(parent, 0, info, &group)
                                              : MPIX_Sysgroup_enroll(parent, 1, info, &group);
  return code || MPIX_Sysgroup_free(&group) || MPIX_Sysgroup_free(&parent);
}

int main(int argc, char** argv) {
  MPI_Info info;
  MPI_Init(&argc, &argv);
  MPI_Info_create(&info);
  for (int i = 2; i + 1 < argc; i += 2) MPI_Info_set(info, argv[i], argv[i + 1]);
  const int code = call(argv[1], info);
  MPI_Info_free(&info);
  MPI_Finalize();
  puts(code ? "WRONG RESULT" : "all as expected");
  return 0;
}
