// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

// MPICH's completion calls poll generalised requests.
#ifdef MPICH_NUMVERSION
#define MPI_HELPER_POLLS_GENERALISED
#endif

#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000 && MPICH_NUMVERSION < 40100000
#define MPI_HELPER_PARTITIONED
#endif

/// Facts in which MPIs differ, for the MPI that runs: quirks.txt has a row for each. Other code asks for a
/// fact, never for an MPI or a version. Any thread may call these functions, even before MPI is initialised.
/// Of MPI they call only MPI_Get_library_version and MPI_Get_version. They do not block.
namespace helper::native::quirks {

bool errors_to_world() noexcept;
bool errors_by_request() noexcept;
bool tells_nothing_of_progress() noexcept;
bool partitions_wait_for_last() noexcept;
bool one_sided_by_element() noexcept;
bool counts_past_end() noexcept;
bool loses_fortran_handles() noexcept;

} // namespace helper::native::quirks
