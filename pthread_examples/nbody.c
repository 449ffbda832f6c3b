/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* Bodies that attract one another, distributed over the processes and their threads. Copies of the bodies
 * travel around a ring of processes. At each stop the threads add the forces of the visiting bodies on the
 * local ones. Then the main thread sends the visitors on, position and mass out of a larger struct, while
 * the others help. Arguments: bodies of a process, steps. */

#define _POSIX_C_SOURCE 200809L /* for pthread_barrier_t */

#include "../omp_examples/arguments.h"

#include <math.h>
#include <mpi_helper.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2 };

struct body {
  double force[3], velocity[3], position[3], mass;
};

static int rank, ranks, count = 200, steps = 2;
static struct body *own, *visiting, *next_visiting;
static MPI_Datatype visitor; /* the members of a body that are sent */
static pthread_barrier_t all_threads;

/* Body number `index` of all. */
static struct body body_of(int index) {
  return (struct body){.position = {index % 17, index % 31 * 0.5, index * 0.01}, .mass = 1 + index % 3};
}

static void attract(struct body* body, const struct body* by) {
  double distance[3], square = 1e-3; /* softened, so that a body may attract itself */
  for (int i = 0; i < 3; ++i) {
    distance[i] = by->position[i] - body->position[i];
    square += distance[i] * distance[i];
  }
  for (int i = 0; i < 3; ++i) body->force[i] += body->mass * by->mass * distance[i] / (square * sqrt(square));
}

static void pass_on(void) {
  MPI_Sendrecv(visiting, count, visitor, (rank + 1) % ranks, 0, next_visiting, count, visitor,
               (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  struct body* const left = visiting;
  visiting = next_visiting;
  next_visiting = left;
}

struct thread {
  int index, helped;
  double seconds; /* of communication, on the main thread */
};

/* The main function of a thread. */
static void* work(void* argument) {
  struct thread* const thread = argument;
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  if (thread->helped) MPI_Helper_team_create(0, THREADS, &team);
  for (int stop = 0; stop < steps * ranks; ++stop) {
    for (int i = thread->index; i < count; i += THREADS)
      for (int j = 0; j < count; ++j) attract(&own[i], &visiting[j]);

    pthread_barrier_wait(&all_threads);
    if (thread->helped) MPI_Helper_join(team);
    if (thread->index == 0) {
      const double start = MPI_Wtime();
      pass_on();
      thread->seconds += MPI_Wtime() - start;
    }
    if (thread->helped)
      MPI_Helper_leave(team); /* waits for all */
    else
      pthread_barrier_wait(&all_threads);
  }
  if (thread->helped) MPI_Helper_team_free(&team);
  return NULL;
}

/* Runs all steps. Returns the seconds of communication. */
static double run(int helped) {
  struct thread thread[THREADS];
  pthread_t id[THREADS];
  for (int i = 0; i < count; ++i) own[i] = visiting[i] = body_of(rank * count + i);
  for (int i = 0; i < THREADS; ++i) thread[i] = (struct thread){i, helped, 0};
  for (int i = 1; i < THREADS; ++i)
    if (pthread_create(&id[i], NULL, work, &thread[i]) != 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  work(&thread[0]);
  for (int i = 1; i < THREADS; ++i) pthread_join(id[i], NULL);
  return thread[0].seconds;
}

/* Returns the number of bodies whose forces differ from a serial computation. */
static int count_wrong(void) {
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    struct body body = body_of(rank * count + i);
    for (int step = 0; step < steps; ++step) {
      for (int other = 0; other < ranks * count; ++other) {
        const struct body by = body_of(other);
        attract(&body, &by);
      }
    }
    double error = 0, size = 0;
    for (int k = 0; k < 3; ++k) {
      error += fabs(body.force[k] - own[i].force[k]);
      size += fabs(body.force[k]);
    }
    wrong += error > 1e-9 * (1 + size); /* the order of summation differs */
  }
  return wrong;
}

static void make_visitor(void) {
  MPI_Datatype fields;
  const int lengths[] = {3, 1};
  const MPI_Aint places[] = {offsetof(struct body, position), offsetof(struct body, mass)};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Type_create_struct(2, lengths, places, types, &fields);
  MPI_Type_create_resized(fields, 0, sizeof(struct body), &visitor);
  MPI_Type_commit(&visitor);
  MPI_Type_free(&fields);
}

int main(int argc, char** argv) {
  const struct argument arguments[] = {{"BODIES_OF_A_PROCESS", count, 1, 1000000},
                                       {"STEPS", steps, 1, 1000000}};
  int provided, values[2];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  read_arguments(argc, argv, 2, arguments, values, NULL);
  count = values[0];
  steps = values[1];
  own = calloc((size_t)count, sizeof(struct body));
  visiting = calloc((size_t)count, sizeof(struct body));
  next_visiting = calloc((size_t)count, sizeof(struct body));
  make_visitor();
  pthread_barrier_init(&all_threads, NULL, THREADS);

  double seconds[2];
  int wrong = 0;
  for (int helped = 0; helped < 2; ++helped) {
    seconds[helped] = run(helped);
    wrong += count_wrong();
  }
  if (rank == 0)
    printf("Sendrecv %8.2f ms without the team, %8.2f ms with it\n", seconds[0] * 1e3, seconds[1] * 1e3);
  if (wrong > 0)
    fprintf(stderr, "rank %d: the forces on %d of %d bodies are wrong\n", rank, wrong, 2 * count);

  pthread_barrier_destroy(&all_threads);
  MPI_Type_free(&visitor);
  free(own);
  free(visiting);
  free(next_visiting);
  MPI_Finalize();
  return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
