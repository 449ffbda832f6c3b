// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Counts the chunks that helpers have run, by MPI's tool interface, if the library is loaded.

#pragma once

#include <mpi.h>
#include <stddef.h>

static MPI_T_pvar_session session_of_chunks;
static MPI_T_pvar_handle handle_of_chunks;
static int counts_chunks = 0;

/* Starts to count. Call it before MPI_Init: only members that are made later count. */
static void count_chunks(void) {
  int provided, index, count;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  if (MPI_T_pvar_get_index("mpi_helper_helped_chunks", MPI_T_PVAR_CLASS_COUNTER, &index) != MPI_SUCCESS)
    return;
  MPI_T_pvar_session_create(&session_of_chunks);
  MPI_T_pvar_handle_alloc(session_of_chunks, index, NULL, &handle_of_chunks, &count);
  counts_chunks = 1;
}

static unsigned long long chunks(void) {
  unsigned long long done = 0;
  if (counts_chunks) MPI_T_pvar_read(session_of_chunks, handle_of_chunks, &done);
  return done;
}
