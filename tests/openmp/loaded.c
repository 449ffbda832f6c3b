/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A program without OpenMP loads libraries that use it, with RTLD_LOCAL. Each library must find its own
 * runtime, even if MPI Helper Teams is preloaded. Compiled with LOADED, this file is such a library. */

#ifdef LOADED

#include <omp.h>

static int threads, sum;

static void count(void) {
#pragma omp atomic
  ++threads;
}

/* The compiler makes the call of the runtime a tail call, because it is the last thing in the function. */
void work_without_data(void) {
#pragma omp parallel num_threads(3)
  count();
}

int work(void) {
  sum = 0;
  threads = 0;
  work_without_data();
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 7) num_threads(2)
  for (int i = 0; i <= 100; ++i) sum += i;
  return threads == 3 && sum == 5050;
}

#else

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int good = 1;
  for (int round = 0; round < 3; ++round) {
    for (int library = 1; library < argc; ++library) {
      void* const loaded = dlopen(argv[library], RTLD_NOW | RTLD_LOCAL);
      int (*work)(void) = NULL;
      if (loaded) *(void**)&work = dlsym(loaded, "work"); /* cast as POSIX shows it */
      if (work == NULL) {
        printf("WRONG RESULT: %s\n", dlerror());
        return 1;
      }
      for (int time = 0; time < 5; ++time) good = work() && good;
    }
  }
  printf("%s\n", good ? "all as expected" : "WRONG RESULT");
  return !good;
}

#endif
