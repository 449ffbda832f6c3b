/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloaded if MPICH 4.0.2 communicates with UCX over TCP. In MPI_Finalize a process disconnects from every
 * other process, which must answer. Then it waits in the barrier of the launcher, where it answers nobody. So
 * a process that comes late hangs. This library lets a process answer while it waits for the launcher. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

unsigned ucp_worker_progress(void* worker);

static void* worker; /* the only worker that this MPICH has in a process */

int ucp_worker_create(void* context, const void* parameters, void** made) {
  static int (*create)(void*, const void*, void**);
  *(void**)&create = dlsym(RTLD_NEXT, "ucp_worker_create");
  const int status = create(context, parameters, made);
  if (status == 0) worker = *made;
  return status;
}

void ucp_worker_destroy(void* destroyed) {
  static void (*destroy)(void*);
  *(void**)&destroy = dlsym(RTLD_NEXT, "ucp_worker_destroy");
  worker = NULL;
  destroy(destroyed);
}

ssize_t read(int file, void* buffer, size_t bytes) {
  static ssize_t (*plain)(int, void*, size_t);
  const char* const launcher = getenv("PMI_FD");
  if (plain == NULL) *(void**)&plain = dlsym(RTLD_NEXT, "read");
  if (worker != NULL && launcher != NULL && file == atoi(launcher)) {
    struct pollfd answer = {.fd = file, .events = POLLIN};
    while (poll(&answer, 1, 0) == 0) ucp_worker_progress(worker);
  }
  return plain(file, buffer, bytes);
}
