/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloaded if MPICH communicates with UCX and hosts have more ranks than cores. A waiting rank then sleeps
 * for a moment and leaves its core to the ranks that it waits for. So only the network limits the speed, as
 * between hosts with a core for each rank. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*progress)(void*);
  static _Thread_local int idle_calls;
  if (progress == NULL) *(void**)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned made = progress(worker);
  idle_calls = made == 0 ? idle_calls + 1 : 0;
  if (idle_calls > 20 && getenv("HOSTS_PATIENT") != NULL) {
    const struct timespec moment = {.tv_nsec = 10000};
    nanosleep(&moment, NULL);
  }
  return made;
}
