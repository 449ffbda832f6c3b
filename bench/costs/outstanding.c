/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* An MPI program of two ranks that does not call the library. It measures calls while receives are
 * outstanding. It prints one line for each: function, number of receives, nanoseconds of processor time. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { doubles = 256, room = 2 * doubles };

/* What is received: contiguous doubles, or a vector with a gap after each double. */
struct Message {
  MPI_Datatype type;
  int count;
  const char* suffix;
};

static int rank;
static MPI_Win window;
static struct Message message;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void print(const char* function, int count, double nanoseconds) {
  if (rank == 0) printf("%s,%d%s %.1f\n", function, count, message.suffix, nanoseconds);
}

static void post(int count, double* data, MPI_Request* requests) {
  for (int i = 0; i < count; ++i)
    MPI_Irecv(data + (size_t)room * (size_t)i, message.count, message.type, 1 - rank, i, MPI_COMM_WORLD,
              &requests[i]);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void find_nothing(int count, MPI_Request* requests) {
  const int calls = 100 + 200000 / (count + 10);
  int index, flag;
  const double start = now();
  for (int i = 0; i < calls; ++i) MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE);
  print("MPI_Testany", count, (now() - start) / calls);
}

static void flush(int count) {
  enum { calls = 500 };
  const double one = 1;
  MPI_Win_lock_all(0, window);
  const double start = now();
  for (int i = 0; i < calls; ++i) {
    MPI_Put(&one, 1, MPI_DOUBLE, 1 - rank, 0, 1, MPI_DOUBLE, window);
    MPI_Win_flush(1 - rank, window);
  }
  print("MPI_Put+MPI_Win_flush", count, (now() - start) / calls);
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* All messages have arrived before the receiver begins. */
static void send(int count) {
  static const double data[room];
  for (int i = 0; i < count; ++i) MPI_Send(data, message.count, message.type, 1 - rank, i, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static double wait_for_any(int count, MPI_Request* requests) {
  int index;
  const double start = now();
  for (int i = 0; i < count; ++i) MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
  return (now() - start) / count;
}

static double wait_for_some(int count, MPI_Request* requests) {
  int* const indices = malloc((size_t)count * sizeof *indices);
  MPI_Status* const statuses = malloc((size_t)count * sizeof *statuses);
  const double start = now();
  for (int left = count, completed; left > 0; left -= completed)
    MPI_Waitsome(count, requests, &completed, indices, statuses);
  const double time = now() - start;
  free(indices);
  free(statuses);
  return time / count;
}

/* A small number of receives takes several rounds. The first one has cold caches and does not count. */
static void wait_for(const char* function, double (*wait)(int, MPI_Request*), int count, double* data,
                     MPI_Request* requests) {
  const int rounds = 1 + 2000 / count;
  double time = 0;
  for (int i = 0; i <= rounds; ++i) {
    post(count, data, requests);
    send(count);
    const double per_receive = wait(count, requests);
    if (i > 0) time += per_receive;
  }
  print(function, count, time / rounds);
}

static void measure(int count, struct Message what) {
  double* const data = malloc((size_t)count * room * sizeof *data);
  MPI_Request* const requests = malloc((size_t)count * sizeof *requests);
  MPI_Status* const statuses =
      malloc((size_t)count * sizeof *statuses); // GCC 12 warns if MPI_STATUSES_IGNORE is used here
  message = what;
  if (what.type == MPI_DOUBLE) {
    post(count, data, requests);
    find_nothing(count, requests);
    MPI_Barrier(MPI_COMM_WORLD);
    flush(count);
    send(count);
    MPI_Waitall(count, requests, statuses);
  }
  wait_for("MPI_Waitany", wait_for_any, count, data, requests);
  wait_for("MPI_Waitsome", wait_for_some, count, data, requests);
  free(data);
  free(requests);
  free(statuses);
}

int main(int argc, char** argv) {
  double* memory;
  MPI_Datatype vector;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(doubles, 1, 2, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int count = 10; count <= 10000; count *= 10) {
    measure(count, (struct Message){MPI_DOUBLE, doubles, ""});
    measure(count, (struct Message){vector, 1, ",vectors"});
  }
  MPI_Win_free(&window);
  MPI_Type_free(&vector);
  MPI_Finalize();
  return 0;
}
