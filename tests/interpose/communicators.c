/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* Makes communicators until MPI has none left, or there are enough, and reduces on each. They are copies of
 * MPI_COMM_WORLD. With the word "halves" each has half of its ranks. With "threads" two threads make 1000
 * copies each at the same time. */

#include <mpi.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { enough = 2100, for_each_thread = 1000 };

struct maker {
  MPI_Comm of;
  int halves;
  int most;
  int made;
  int good;
};

/* Makes up to `most` communicators: copies of `of`, or of the half of its ranks that has the caller. */
static void* make(void* argument) {
  struct maker* const maker = argument;
  MPI_Comm* const made = malloc((size_t)maker->most * sizeof *made);
  int rank = 0;
  MPI_Comm_rank(maker->of, &rank);
  maker->good = 1;
  for (maker->made = 0; maker->made < maker->most; ++maker->made) {
    MPI_Comm* const next = &made[maker->made];
    int sum = 1;
    int size = 0;
    const int code =
        maker->halves ? MPI_Comm_split(maker->of, rank % 2, 0, next) : MPI_Comm_dup(maker->of, next);
    if (code != MPI_SUCCESS) break;
    MPI_Comm_size(*next, &size);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, *next);
    maker->good = maker->good && sum == size;
  }
  for (int i = 0; i < maker->made; ++i) MPI_Comm_free(&made[i]);
  free(made);
  return NULL;
}

static void make_by_two_threads(struct maker* all) {
  struct maker makers[2] = {*all, *all};
  pthread_t threads[2];
  all->good = 1;
  for (int i = 0; i < 2; ++i) {
    makers[i].most = for_each_thread;
    MPI_Comm_dup(all->of, &makers[i].of);
    pthread_create(&threads[i], NULL, make, &makers[i]);
  }
  for (int i = 0; i < 2; ++i) {
    pthread_join(threads[i], NULL);
    MPI_Comm_free(&makers[i].of);
    all->made += makers[i].made;
    all->good = all->good && makers[i].good;
  }
}

int main(int argc, char** argv) {
  const char* const word = argc > 1 ? argv[1] : "copies";
  const int threads = strcmp(word, "threads") == 0;
  struct maker all = {MPI_COMM_WORLD, strcmp(word, "halves") == 0, enough, 0, 0};
  int rank = 0;
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (threads)
    make_by_two_threads(&all);
  else
    make(&all);
  if (rank == 0)
    printf("%d communicators%s\n", all.made, all.good && all.made >= 2000 ? ", all as expected" : "");
  MPI_Finalize();
  return 0;
}
