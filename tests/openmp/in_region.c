/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A program with OpenMP and MPI that does not use the library. In parallel regions one thread calls MPI while
 * the others wait at a barrier. It must behave in the same way if the library is preloaded. Its arguments
 * name the tests in `deeds` to run, in order. The tests whose names end in "helped" repeat their calls until
 * OpenMP threads have run chunks for the calling thread. The program counts them with MPI's tool interface.
 * */

#include "chunks.h"

#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 1 << 17, TIMES = 5, LIMIT = 100 /* seconds */ };

static int rank, ranks, failures;

static void check(int good, const char* what) {
  if (good) return;
#pragma omp atomic
  ++failures;
  printf("WRONG RESULT: %s\n", what);
}

static MPI_Datatype column; /* every second double of a buffer */

static double* new_column(int first) {
  double* column_of = malloc(2 * ROWS * sizeof(double));
  for (int row = 0; row < 2 * ROWS; ++row) column_of[row] = first + row;
  return column_of;
}

static void send(int to, int tag) {
  double* from = new_column(rank);
  MPI_Send(from, 1, column, to, tag, MPI_COMM_WORLD);
  free(from);
}

static void receive(int from, int tag) {
  double* to = calloc(2 * ROWS, sizeof(double));
  int good = 1;
  MPI_Recv(to, 1, column, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int row = 0; row < 2 * ROWS; row += 2) good = good && to[row] == from + row && to[row + 1] == 0;
  check(good, "a vector that was received");
  free(to);
}

/* Sends a vector to the next rank, and receives one from the previous rank. */
static void exchange_as(int tag) {
  const int before = (rank + ranks - 1) % ranks;
  double* from = new_column(rank);
  double* to = calloc(2 * ROWS, sizeof(double));
  int good = 1;
  MPI_Sendrecv(from, 1, column, (rank + 1) % ranks, tag, to, 1, column, before, tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int row = 0; row < 2 * ROWS; row += 2) good = good && to[row] == before + row && to[row + 1] == 0;
  check(good, "a vector");
  free(from);
  free(to);
}

static void exchange(void) {
  exchange_as(7);
}

static void sum(void) {
  double* values = new_column(rank);
  int good = 1;
  MPI_Allreduce(MPI_IN_PLACE, values, 2 * ROWS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int row = 0; row < 2 * ROWS; ++row)
    good = good && values[row] == (double)ranks * row + ranks * (ranks - 1) / 2;
  check(good, "a sum");
  free(values);
}

/* Many calls of large size, which take some time. Their data exist before the calls. */
enum { MUCH = 1 << 19, MANY = 20 };
static double *much_from, *much_to;
static MPI_Datatype much_of_column;

static void exchange_much(void) {
  const int before = (rank + ranks - 1) % ranks;
  for (int time = 0; time < MANY; ++time)
    MPI_Sendrecv(much_from, 1, much_of_column, (rank + 1) % ranks, 9, much_to, 1, much_of_column, before, 9,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange_much_later(void) {
  const int before = (rank + ranks - 1) % ranks;
  for (int time = 0; time < MANY; ++time) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(much_to, 1, much_of_column, before, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(much_from, 1, much_of_column, (rank + 1) % ranks, 9, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
  }
}

static void find_greatest(void) {
  for (int time = 0; time < MANY; ++time)
    MPI_Allreduce(much_from, much_to, 2 * MUCH, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void begin_much(void) {
  MPI_Type_vector(MUCH, 1, 2, MPI_DOUBLE, &much_of_column);
  MPI_Type_commit(&much_of_column);
  much_from = malloc(2 * MUCH * sizeof(double));
  much_to = calloc(2 * MUCH, sizeof(double));
  for (int row = 0; row < 2 * MUCH; ++row) much_from[row] = rank + row;
}

/* Checks and frees the data. `first` is the first element that must be in the receive buffer. */
static void end_much(int first) {
  int good = 1;
  for (int row = 0; row < 2 * MUCH; row += 2) good = good && much_to[row] == first + row;
  check(good, "much that was received");
  MPI_Type_free(&much_of_column);
  free(much_from);
  free(much_to);
}

/* All threads of a region call the functions that follow. All barriers are at one place of the program. */
__attribute__((noinline)) static void barrier(void) {
#pragma omp barrier
}

static void by_master(void (*communicate)(void)) {
#pragma omp master
  communicate();
  barrier();
}

static void by_single(void (*communicate)(void)) {
#pragma omp single
  communicate();
}

/* The first thread communicates. The other threads wait for it at the end of the loop. */
static void before_loop(void (*communicate)(void)) {
  static int done[64];
#pragma omp master
  communicate();
#pragma omp for schedule(static)
  for (int i = 0; i < 64; ++i) ++done[i];
}

/* The first thread communicates. The other threads wait for it at the reduction. */
static void before_reduction(void (*communicate)(void)) {
  static int added;
#pragma omp master
  communicate();
#pragma omp for schedule(static) reduction(+ : added)
  for (int i = 0; i < 64; ++i) added += i;
}

/* Repeats `act(communicate)` in a region until another thread has helped, or for LIMIT seconds. If the
 * threads can help, they do so sooner or later. */
static void until_helped(void (*act)(void (*)(void)), void (*communicate)(void), int first) {
  const time_t begin = time(NULL);
  const unsigned long long before = chunks();
  int goes_on = 1;
  begin_much();
#pragma omp parallel num_threads(2)
  while (goes_on) {
    act(communicate);
#pragma omp barrier
#pragma omp master
    {
      int in_vain = chunks() == before && time(NULL) - begin < LIMIT;
      MPI_Allreduce(MPI_IN_PLACE, &in_vain, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
      goes_on = in_vain;
    }
#pragma omp barrier
  }
  check(chunks() != before, "threads that do not help");
  end_much(first);
}

/* The tests. */

static void master_helped(void) {
  until_helped(by_master, exchange_much, rank);
}
static void waitall_helped(void) {
  until_helped(by_master, exchange_much_later, rank);
}
static void single_helped(void) {
  until_helped(by_single, exchange_much, rank);
}
static void loop_helped(void) {
  until_helped(before_loop, exchange_much, rank);
}
/* Needs several ranks. */
static void greatest_helped(void) {
  until_helped(by_master, find_greatest, ranks - 1);
}

static void plain(void) {
  for (int threads = 1; threads <= 4; ++threads) {
#pragma omp parallel num_threads(threads)
    for (int time = 0; time < TIMES; ++time) {
      by_master(exchange);
      by_single(sum);
      before_loop(exchange);
      before_reduction(sum);
      barrier();
    }
    exchange(); /* outside of regions */
  }
#pragma omp parallel if (rank < 0)
  by_master(exchange);
}

static void nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  for (int time = 0; time < TIMES; ++time) {
    by_master(exchange);
    const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    {
      barrier();
      if (outer == 0) by_master(exchange);
      if (outer != 0) barrier();
    }
    barrier();
  }
  omp_set_max_active_levels(1);
}

/* The first thread receives, another one creates the task that sends, and a waiting thread runs it. */
static void tasks(void) {
#pragma omp parallel num_threads(3)
  for (int time = 0; time < TIMES; ++time) {
    by_master(exchange);
#pragma omp master
    receive(rank, 8);
    if (omp_get_thread_num() == 1 + time % 2) {
#pragma omp task
      send(rank, 8);
    }
    barrier();
#pragma omp single
    {
      for (int other = 0; other < 10; ++other) {
#pragma omp task
        exchange_as(10 + other);
      }
    }
  }
}

/* A thread cancels the region while the first thread communicates and others wait at a barrier. The runtime
 * of LLVM requires that no thread is still in the previous barrier. */
static void cancelled(void) {
  for (int round = 0; round < TIMES; ++round) {
    int begun = 0;
#pragma omp parallel num_threads(3)
    for (int time = 0; time < TIMES; ++time) {
      if (time == 3) {
        int seen;
#pragma omp atomic
        ++begun;
        do {
#pragma omp atomic read
          seen = begun;
        } while (seen < omp_get_num_threads());
      }
#pragma omp master
      exchange();
      if (time == 3 && omp_get_thread_num() == 1) {
#pragma omp cancel parallel
      }
#pragma omp barrier
    }
  }
}

static void* own_regions(void* tag) {
#pragma omp parallel num_threads(2)
  for (int time = 0; time < TIMES; ++time) {
#pragma omp master
    exchange_as(*(int*)tag);
    barrier();
  }
  return NULL;
}

static void pools(void) {
  pthread_t others[2];
  int tags[] = {30, 31, 32};
  for (int other = 0; other < 2; ++other) pthread_create(&others[other], NULL, own_regions, &tags[other]);
  own_regions(&tags[2]);
  for (int other = 0; other < 2; ++other) pthread_join(others[other], NULL);
}

/* Sends more than the library gives to late receivers at a time. */
static void much(void) {
  begin_much();
  for (int time = 0; time < 4; ++time) exchange_much();
  end_much((rank + ranks - 1) % ranks);
}

/* All threads communicate at the same time, and then wait for one another. */
static void all_at_once(void) {
#pragma omp parallel num_threads(3)
  for (int time = 0; time < TIMES; ++time) {
    exchange_as(40 + omp_get_thread_num());
    barrier();
    if (omp_get_thread_num() != time % 3) exchange_as(40 + omp_get_thread_num());
    barrier();
  }
}

static const struct {
  const char* name;
  void (*act)(void);
} deeds[] = {{"plain", plain},
             {"nested", nested},
             {"tasks", tasks},
             {"cancelled", cancelled},
             {"pools", pools},
             {"all_at_once", all_at_once},
             {"much", much},
             {"master_helped", master_helped},
             {"waitall_helped", waitall_helped},
             {"single_helped", single_helped},
             {"loop_helped", loop_helped},
             {"greatest_helped", greatest_helped}};

int main(int argc, char** argv) {
  int provided;
  int at_once = 0;
  for (int at = 1; at < argc; ++at)
    at_once += strcmp(argv[at], "tasks") == 0 || strcmp(argv[at], "pools") == 0 ||
               strcmp(argv[at], "all_at_once") == 0;
  count_chunks();
  MPI_Init_thread(&argc, &argv, at_once ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Type_vector(ROWS, 1, 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  exchange(); /* now the library knows that it may announce messages */
  for (int at = 1; at < argc; ++at) {
    for (size_t deed = 0; deed < sizeof deeds / sizeof *deeds; ++deed) {
      if (strcmp(argv[at], deeds[deed].name) == 0) deeds[deed].act();
    }
  }
  MPI_Type_free(&column);
  if (rank == 0) printf("%s\n", failures == 0 ? "all as expected" : "WRONG RESULT");
  MPI_Finalize();
  return failures != 0;
}
