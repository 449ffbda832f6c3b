/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A program with OpenMP and MPI that does not use the library and calls MPI outside parallel regions. If the
 * library is preloaded, the program must behave in the same way, and no other threads than its own may help.
 * Its arguments name the tests in `deeds` to run, in order. It prints how many chunks helpers have run, which
 * it reads from MPI's tool interface. */

#define _GNU_SOURCE
#include "chunks.h"

#include <fenv.h>
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 64, ROWS = 1 << 18 };

static int rank, ranks, failures;

static void check(int good, const char* what) {
  if (good) return;
  ++failures;
  printf("WRONG RESULT: %s\n", what);
}

static int most_threads;

static int threads_of_process(void) {
  struct stat tasks;
  const int threads = stat("/proc/self/task", &tasks) == 0 ? (int)tasks.st_nlink - 2 : -1;
  if (threads > most_threads) most_threads = threads;
  return threads;
}

/* The ids of the threads of the program, and the mark that each has in its threadprivate variable. */
static int marks[MOST_THREADS];
static long ids[MOST_THREADS];
static int pool;
static int mark;
#pragma omp threadprivate(mark)

/* Lets `threads` threads mark themselves, or as many as OpenMP chooses if `threads` is 0. */
static void begin_pool(int threads) {
  const int wanted = threads != 0 ? threads : omp_get_max_threads();
#pragma omp parallel num_threads(wanted)
  {
    const int self = omp_get_thread_num();
    mark = 1000 + self;
    marks[self] = mark;
    ids[self] = syscall(SYS_gettid);
#pragma omp single
    pool = omp_get_num_threads();
  }
}

/* Checks that OpenMP has the same threads as before, with their marks. */
static void check_pool(const char* when) {
  int same = 1;
#pragma omp parallel num_threads(pool) reduction(&& : same)
  {
    const int self = omp_get_thread_num();
    same = mark == marks[self] && ids[self] == syscall(SYS_gettid);
  }
  check(same, when);
  threads_of_process();
}

/* The arguments of an exchange. Each rank sends every second double of a buffer to the next rank and receives
 * from the previous one. A single rank sends to itself. */
struct exchange {
  const double* from;
  double* to;
  MPI_Datatype column;
};

static void at_once(const struct exchange* its) {
  MPI_Sendrecv(its->from, 1, its->column, (rank + 1) % ranks, 7, its->to, 1, its->column,
               (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void begin(const struct exchange* its, MPI_Request* requests) {
  MPI_Irecv(its->to, 1, its->column, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(its->from, 1, its->column, (rank + 1) % ranks, 7, MPI_COMM_WORLD, &requests[1]);
}

static void by_waitall(const struct exchange* its) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  begin(its, requests);
  MPI_Waitall(2, requests, statuses);
}

static void by_wait(const struct exchange* its) {
  MPI_Request requests[2];
  begin(its, requests);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

static void exchange_rows_by(int rows, void (*exchange)(const struct exchange*)) {
  MPI_Datatype column;
  double* from = malloc(2 * (size_t)rows * sizeof(double));
  double* to = calloc(2 * (size_t)rows, sizeof(double));
  int good = 1;
  MPI_Type_vector(rows, 1, 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int row = 0; row < 2 * rows; ++row) from[row] = rank + row;
  const struct exchange its = {from, to, column};
  exchange(&its);
  for (int row = 0; row < 2 * rows; ++row)
    good = good && to[row] == (row % 2 == 0 ? (rank + ranks - 1) % ranks + row : 0);
  check(good, "a vector");
  MPI_Type_free(&column);
  free(from);
  free(to);
}

static void exchange_rows(int rows) {
  exchange_rows_by(rows, at_once);
}

static void reduce(int rows, MPI_Op op) {
  double* values = malloc((size_t)rows * sizeof(double));
  int good = 1;
  for (int row = 0; row < rows; ++row) values[row] = rank + row;
  MPI_Allreduce(MPI_IN_PLACE, values, rows, MPI_DOUBLE, op, MPI_COMM_WORLD);
  for (int row = 0; row < rows; ++row)
    good = good && values[row] == (double)ranks * row + ranks * (ranks - 1) / 2;
  check(good, "a sum");
  free(values);
}

static void move(int rows) {
  double* from = malloc((size_t)(rows * ranks) * sizeof(double));
  double* to = calloc((size_t)(rows * ranks), sizeof(double));
  int* counts = malloc((size_t)ranks * sizeof(int));
  int* places = malloc((size_t)ranks * sizeof(int));
  int good = 1;
  for (int other = 0; other < ranks; ++other) {
    counts[other] = rows;
    places[other] = rows * other;
  }
  for (int row = 0; row < rows * ranks; ++row) from[row] = rank * 1e6 + row;
  MPI_Alltoall(from, rows, MPI_DOUBLE, to, rows, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int row = 0; row < rows * ranks; ++row)
    good = good && to[row] == row / rows * 1e6 + rank * rows + row % rows;
  MPI_Alltoallv(from, counts, places, MPI_DOUBLE, to, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Allgather(from, rows, MPI_DOUBLE, to, rows, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, rows, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int row = 0; row < rows * ranks; ++row) good = good && to[row] == row / rows * 1e6 + row % rows;
  MPI_Gather(rank == 0 ? MPI_IN_PLACE : from, rows, MPI_DOUBLE, to, rows, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Scatter(from, rows, MPI_DOUBLE, to, rows, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int row = 0; row < rows; ++row) good = good && to[row] == rank * rows + row;
  MPI_Reduce_scatter_block(from, to, rows, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int row = 0; row < rows; ++row) good = good && to[row] == (ranks - 1) * 1e6 + rank * rows + row;
  MPI_Bcast(to, rows, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int row = 0; row < rows; ++row) good = good && to[row] == (ranks - 1) * 1e6 + row;
  MPI_Reduce(from, rank == 0 ? to : NULL, rows, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  check(good, "data that ranks exchange");
  free(from);
  free(to);
  free(counts);
  free(places);
}

static void add_outside(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  check(!omp_in_parallel() && omp_get_level() == 0, "a function of the program's in a region");
  for (int i = 0; i < *count; ++i) ((double*)inout)[i] += ((double*)in)[i];
}

/* The tests. */

static void plain(void) {
  begin_pool(0);
  exchange_rows(ROWS);
  check_pool("threads after a vector");
  exchange_rows_by(ROWS, by_waitall);
  exchange_rows_by(ROWS, by_wait);
  check_pool("threads after vectors that were waited for");
  reduce(ROWS, MPI_SUM);
  check_pool("threads after a sum");
  move(ROWS / 2);
  check_pool("threads after what ranks exchange");
}

static void four(void) {
  begin_pool(4);
  const int before = threads_of_process();
  exchange_rows(ROWS);
  check(threads_of_process() <= before, "threads that were begun"); /* earlier ones may still be ending */
  check_pool("four threads");
  pool = 2;
  check_pool("two of four threads");
  exchange_rows(ROWS);
  check_pool("two of four threads, again");
  begin_pool(0);
  exchange_rows(ROWS);
  check_pool("as many as OpenMP says");
}

static void nested(void) {
  omp_set_max_active_levels(2);
  begin_pool(2);
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
    }
#pragma omp master
    exchange_rows(ROWS);
#pragma omp barrier
  }
  exchange_rows(ROWS);
  check_pool("threads after nested regions");
}

static void dynamic(void) {
  begin_pool(2);
  omp_set_dynamic(1);
  exchange_rows(ROWS);
#pragma omp parallel
  {
#pragma omp barrier
  } exchange_rows(ROWS);
  omp_set_dynamic(0);
  exchange_rows(ROWS);
  begin_pool(2);
  exchange_rows(ROWS);
  check_pool("threads after dynamic adjustment");
}

static void kinds(void) {
  long sum = 0;
  begin_pool(2);
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += i;
  exchange_rows(ROWS);
#pragma omp parallel for schedule(guided) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += i;
  exchange_rows(ROWS);
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(2)
  for (int i = 0; i < 100; ++i) sum += i;
  exchange_rows(ROWS);
#pragma omp parallel sections reduction(+ : sum)
  {
#pragma omp section
    sum += 1;
#pragma omp section
    sum += 2;
  }
  exchange_rows(ROWS);
#pragma omp parallel if (sum == 0)
  { sum += 1000; }
  exchange_rows(ROWS);
#pragma omp parallel num_threads(1)
  { sum += 1000; }
  exchange_rows(ROWS);
  check(sum == 3 * 4950 + 3 + 2000, "loops and sections");
  check_pool("threads after all kinds of regions");
}

static void* send_elsewhere(void* unused) {
  exchange_rows(ROWS); /* this thread has had no regions yet */
  begin_pool(3);
  exchange_rows(ROWS);
  check_pool("threads of another's pool");
  return unused;
}

static void other_thread(void) {
  pthread_t other;
  plain();
  pthread_create(&other, NULL, send_elsewhere, NULL);
  pthread_join(other, NULL);
  plain();
}

static void user_operation(void) {
  MPI_Op op;
  begin_pool(0);
  MPI_Op_create(add_outside, 1, &op);
  reduce(ROWS, op);
  MPI_Op_free(&op);
  check_pool("threads after an operation of the program's");
}

static jmp_buf handled;
static void handle(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  check(!omp_in_parallel(), "an error handler in a region");
  longjmp(handled, 1);
}

static void error_handler(void) {
  MPI_Errhandler handler;
  MPI_Comm comm;
  MPI_Datatype column;
  double* volatile data = calloc(4 * ROWS, sizeof(double));
  volatile int jumps = 0;
  plain();
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Type_vector(ROWS, 1, 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  if (setjmp(handled) == 0) /* the message is too long */
    MPI_Sendrecv(data, 2, column, 0, 7, data, 1, column, 0, 7, comm, MPI_STATUS_IGNORE);
  else
    ++jumps;
  if (setjmp(handled) == 0)
    MPI_Send(data, 1, column, 5, 7, comm); /* this rank does not exist */
  else
    ++jumps;
  check(jumps == 2, "jumps of error handlers");
  MPI_Type_free(&column);
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
  free(data);
  plain();
}

/* Tests errors that MPI returns. */
static void errors_return(void) {
  MPI_Datatype column;
  double* data = calloc(4 * ROWS, sizeof(double));
  begin_pool(0);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Type_vector(ROWS, 1, 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  check(MPI_Sendrecv(data, 2, column, 0, 7, data, 1, column, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE) !=
            MPI_SUCCESS,
        "an error that is returned");
  check(MPI_Send(data, 1, column, 5, 7, MPI_COMM_SELF) != MPI_SUCCESS, "an error that is returned");
  MPI_Type_free(&column);
  free(data);
  check_pool("threads after errors");
}

/* Exchanges until threads have helped, at most for 100 seconds: threads that may help do so eventually. */
static void until_helped(void (*exchange)(const struct exchange*)) {
  const time_t begun = time(NULL);
  const unsigned long long before = chunks();
  long calls = 0;
  int goes_on = 1;
  begin_pool(0);
  while (goes_on) {
    exchange_rows_by(32 * ROWS, exchange);
    check_pool("threads that help");
    ++calls;
    goes_on = chunks() == before && time(NULL) - begun < 100;
    MPI_Allreduce(MPI_IN_PLACE, &goes_on, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  }
  check(chunks() != before, "threads that do not help");
  if (rank == 0) printf("helped after %ld calls\n", calls);
}

static void helped(void) {
  until_helped(at_once);
}
static void waitall_helped(void) {
  until_helped(by_waitall);
}
static void wait_helped(void) {
  until_helped(by_wait);
}

static void help_with_sums(void) {
  const time_t begin = time(NULL);
  const unsigned long long before = chunks();
  unsigned long long least = 0;
  begin_pool(0);
  while (least == 0 && time(NULL) - begin < 100) {
    reduce(8 * ROWS, MPI_SUM);
    check_pool("threads that help");
    least = chunks() - before;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);
  }
  check(least != 0, "threads that do not help with sums");
}

/* All threads must compute the sum with the rounding mode of the caller, and keep their own mode. */
static void rounded(void) {
  enum { COUNT = 8 * ROWS };
  double* values = malloc(COUNT * sizeof(double));
  int nearest = 1;
  begin_pool(0);
  for (int repetition = 0; repetition < 10; ++repetition) {
    int good = 1;
    for (int i = 0; i < COUNT; ++i) values[i] = rank == 0 ? 1 : 1e-20;
    fesetround(FE_UPWARD);
    MPI_Allreduce(MPI_IN_PLACE, values, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    fesetround(FE_TONEAREST);
    for (int i = 0; i < COUNT; ++i) good = good && (ranks == 1 || values[i] > 1);
    check(good, "rounding of a sum");
  }
#pragma omp parallel num_threads(pool) reduction(&& : nearest)
  nearest = fegetround() == FE_TONEAREST;
  check(nearest, "the rounding mode of a thread");
  free(values);
}

static const struct {
  const char* name;
  void (*act)(void);
} deeds[] = {{"plain", plain},
             {"four", four},
             {"nested", nested},
             {"dynamic", dynamic},
             {"kinds", kinds},
             {"other_thread", other_thread},
             {"user_operation", user_operation},
             {"error_handler", error_handler},
             {"errors_return", errors_return},
             {"helped", helped},
             {"waitall_helped", waitall_helped},
             {"wait_helped", wait_helped},
             {"help_with_sums", help_with_sums},
             {"rounded", rounded}};

int main(int argc, char** argv) {
  int provided;
  int level = MPI_THREAD_FUNNELED; /* so that error handlers may jump */
  for (int at = 1; at < argc; ++at)
    if (strcmp(argv[at], "other_thread") == 0) level = MPI_THREAD_MULTIPLE;
  count_chunks();
  MPI_Init_thread(&argc, &argv, level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  begin_pool(0);
  exchange_rows(ROWS);
  for (int at = 1; at < argc; ++at) {
    for (size_t deed = 0; deed < sizeof deeds / sizeof *deeds; ++deed) {
      if (strcmp(argv[at], deeds[deed].name) == 0) deeds[deed].act();
    }
  }
  if (rank == 0) {
    printf("threads: %d, after which helpers had done %s chunks\n", most_threads,
           chunks() != 0 ? "some" : "no");
    printf("%s\n", failures == 0 ? "all as expected" : "WRONG RESULT");
  }
  MPI_Finalize();
  return failures != 0;
}
