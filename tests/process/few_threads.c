/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers */
/* SPDX-License-Identifier: BSD-3-Clause */

/* Communicates, although the system starts only one of the threads that MPI_HELPER_THREADS asks for. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

static int started; /* only one thread writes it */

/* Returns whether a thread is one of the library. These are C++ threads, and MPI has no such threads. */
static int is_of_library(void* (*begin)(void*)) {
  Dl_info object;
  return dladdr((void*)(size_t)begin, &object) != 0 && strstr(object.dli_fname, "libstdc++") != NULL;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* with, void* (*begin)(void*), void* argument) {
  if (is_of_library(begin) && started++ > 0) return EAGAIN;
  Create* system_create;
  *(void**)&system_create = dlsym(RTLD_NEXT, "pthread_create");
  return system_create(thread, with, begin, argument);
}

int main(int argc, char** argv) {
  enum { count = 1 << 20 };
  static double sent[count], received[count];
  int ranks, wrong = 0;
  setenv("MPI_HELPER_THREADS", "4", 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < count; ++i) sent[i] = i;
  MPI_Allreduce(sent, received, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) wrong += received[i] != (double)i * ranks;
  MPI_Finalize();
  puts(wrong == 0 ? "all as expected" : "WRONG RESULT");
  return 0;
}
