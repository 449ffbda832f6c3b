! SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
! SPDX-License-Identifier: BSD-3-Clause

! The constants of helper teams for programs that include mpif.h, in fixed and in free form.
      INTEGER MPI_HELPER_TEAM_NULL, MPIX_SYSGROUP_NULL
      PARAMETER (MPI_HELPER_TEAM_NULL = 0, MPIX_SYSGROUP_NULL = 0)
