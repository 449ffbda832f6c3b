/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* A program that uses MPI by sessions, and perhaps by MPI_Init as well. Its arguments are carried out in
 * order:
 *
 *   open, close         a session, perhaps while others are open; the one opened last
 *   refused             opens a session, which must be refused
 *   init, finalize      the World Model
 *   world, self         make a communicator of all processes, of each process alone
 *   of_world            makes a communicator of the group of MPI_COMM_WORLD
 *   threads             two threads, each of which makes a communicator of all processes
 *   free                frees all communicators that were made of groups
 *   use                 communicates on the one made last, or MPI_COMM_WORLD, and on a duplicate
 *   probe               sends a small message on the one made last, or MPI_COMM_WORLD, and probes for one
 *   receive             receives the message that was probed for
 *   team, no_team       with SESSIONS_TEAM: makes a team, frees it
 *
 * It checks all results. Compiled with SESSIONS_TEAM it communicates in phases of a team. */

#include <mpi.h>
#ifdef SESSIONS_TEAM
#include <mpi_helper.h>
#endif

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 20000, many = 16 };

static int good = 1;
static int is_rank_0 = 1;

static void check(int is_so) {
  good = good && is_so;
}

/* The number i of rank `rank`. Sums of these numbers are exact. */
static double value(int rank, int i) {
  return (double)rank * most + i;
}

static void collectives(MPI_Comm comm, const double* out, double* in) {
  static const int counts[] = {1, 100, most};
  int size = 0;
  MPI_Comm_size(comm, &size);
  for (int k = 0; k < 3; ++k) {
    MPI_Allreduce(out, in, counts[k], MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < counts[k]; ++i) check(in[i] == size * (value(0, i) + value(size - 1, i)) / 2);
    memcpy(in, out, (size_t)counts[k] * sizeof *in);
    MPI_Bcast(in, counts[k], MPI_DOUBLE, size - 1, comm);
    for (int i = 0; i < counts[k]; ++i) check(in[i] == value(size - 1, i));
  }
  MPI_Barrier(comm);
}

/* Sends every second double to the next rank, in a message that the library would announce. */
static void message(MPI_Comm comm, const double* out, double* in) {
  int rank = 0;
  int size = 0;
  MPI_Datatype type;
  MPI_Request request;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int previous = (rank + size - 1) % size;
  MPI_Type_vector(most / 2, 1, 2, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < most; ++i) in[i] = -1;
  for (int k = 0; k < 2; ++k) {
    MPI_Irecv(in, 1, type, previous, 7, comm, &request);
    MPI_Send(out, 1, type, (rank + 1) % size, 7, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&type);
  for (int i = 0; i < most; ++i) check(in[i] == (i % 2 == 0 ? value(previous, i) : -1));
}

static void communicate(MPI_Comm comm) {
  static double out[most];
  static double in[most];
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < most; ++i) out[i] = value(rank, i);
  collectives(comm, out, in);
  if (size > 1) message(comm, out, in);
}

static void use(MPI_Comm comm) {
  MPI_Comm copy;
#ifdef SESSIONS_TEAM
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  double one = 1;
  double sum = 0;
  int size = 0;
  check(MPI_Helper_team_create(0, 1, &team) == MPI_SUCCESS && MPI_Helper_join(team) == MPI_SUCCESS);
  MPI_Comm_size(comm, &size);
  check(MPIX_Helper_allreduce(team, &one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm) == MPI_SUCCESS && sum == size);
#endif
  communicate(comm);
  MPI_Comm_dup(comm, &copy);
  communicate(copy);
  MPI_Comm_free(&copy);
#ifdef SESSIONS_TEAM
  check(MPI_Helper_leave(team) == MPI_SUCCESS && MPI_Helper_team_free(&team) == MPI_SUCCESS);
#endif
}

/* A message of a size that announcements have as well. */
enum { small = 20 };
struct small_message {
  int out[small];
  MPI_Request request;
};

static void probe(MPI_Comm comm, struct small_message* message) {
  int rank = 0;
  int size = 0;
  int count = 0;
  MPI_Status status;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < small; ++i) message->out[i] = rank + i;
  MPI_Isend(message->out, small, MPI_INT, (rank + 1) % size, 8, comm, &message->request);
  MPI_Probe((rank + size - 1) % size, 8, comm, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  check(count == small);
}

static void receive(MPI_Comm comm, struct small_message* message) {
  int rank = 0;
  int size = 0;
  int in[small];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int previous = (rank + size - 1) % size;
  MPI_Recv(in, small, MPI_INT, previous, 8, comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < small; ++i) check(in[i] == previous + i);
  MPI_Wait(&message->request, MPI_STATUS_IGNORE);
}

static MPI_Comm of_group(MPI_Group group, const char* tag) {
  MPI_Comm made = MPI_COMM_NULL;
  check(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &made) == MPI_SUCCESS);
  return made;
}

static MPI_Comm of_set(MPI_Session session, const char* set, const char* tag) {
  MPI_Group group;
  check(MPI_Group_from_session_pset(session, set, &group) == MPI_SUCCESS);
  MPI_Comm made = of_group(group, tag);
  MPI_Group_free(&group);
  return made;
}

struct thread {
  MPI_Session session;
  const char* tag;
  MPI_Comm made;
};

static void* make_world(void* argument) {
  struct thread* const thread = argument;
  thread->made = of_set(thread->session, "mpi://WORLD", thread->tag);
  return NULL;
}

static MPI_Comm of_world(void) {
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm made = of_group(group, "of world");
  MPI_Group_free(&group);
  return made;
}

/* Opens a session in which threads may call MPI. By default MPICH 4 opens such sessions, MPICH 5 does not. */
static int open_session(MPI_Session* session) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
  const int code = MPI_Session_init(info, MPI_ERRORS_RETURN, session);
  MPI_Info_free(&info);
  return code;
}

/* Two threads make a communicator each. Returns the one of the first thread. */
static MPI_Comm by_threads(MPI_Session session, MPI_Comm* second) {
  struct thread threads[2] = {{session, "one", MPI_COMM_NULL}, {session, "other", MPI_COMM_NULL}};
  pthread_t ids[2];
  for (int i = 0; i < 2; ++i) pthread_create(&ids[i], NULL, make_world, &threads[i]);
  for (int i = 0; i < 2; ++i) pthread_join(ids[i], NULL);
  *second = threads[1].made;
  return threads[0].made;
}

int main(int argc, char** argv) {
  MPI_Session sessions[many];
  MPI_Comm comms[many];
#ifdef SESSIONS_TEAM
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
#endif
  struct small_message sent;
  int open = 0;
  int made = 0;
  for (int i = 1; i < argc; ++i) {
    const char* const word = argv[i];
    const MPI_Comm latest = made > 0 ? comms[made - 1] : MPI_COMM_WORLD;
    if (strcmp(word, "open") == 0) {
      check(open_session(&sessions[open++]) == MPI_SUCCESS);
    } else if (strcmp(word, "refused") == 0) {
      MPI_Session session = MPI_SESSION_NULL;
      check(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS &&
            session == MPI_SESSION_NULL);
    } else if (strcmp(word, "close") == 0) {
      check(MPI_Session_finalize(&sessions[--open]) == MPI_SUCCESS);
    } else if (strcmp(word, "init") == 0) {
      MPI_Init(NULL, NULL);
    } else if (strcmp(word, "finalize") == 0) {
      MPI_Finalize();
    } else if (strcmp(word, "world") == 0) {
      comms[made++] = of_set(sessions[open - 1], "mpi://WORLD", "world");
    } else if (strcmp(word, "self") == 0) {
      comms[made++] = of_set(sessions[open - 1], "mpi://SELF", "self");
    } else if (strcmp(word, "of_world") == 0) {
      comms[made++] = of_world();
    } else if (strcmp(word, "threads") == 0) {
      comms[made] = by_threads(sessions[open - 1], &comms[made + 1]);
      made += 2;
    } else if (strcmp(word, "free") == 0) {
      for (; made > 0; --made) MPI_Comm_free(&comms[made - 1]);
#ifdef SESSIONS_TEAM
    } else if (strcmp(word, "team") == 0) {
      check(MPI_Helper_team_create(1, 1, &team) == MPI_SUCCESS);
    } else if (strcmp(word, "no_team") == 0) {
      check(MPI_Helper_team_free(&team) == MPI_SUCCESS);
#endif
    } else if (strcmp(word, "probe") == 0) {
      probe(latest, &sent);
    } else if (strcmp(word, "receive") == 0) {
      receive(latest, &sent);
    } else if (strcmp(word, "use") == 0) {
      int rank = 0;
      int all = 0;
      use(latest);
      MPI_Reduce(&good, &all, 1, MPI_INT, MPI_MIN, 0, latest);
      MPI_Comm_rank(latest, &rank);
      is_rank_0 = rank == 0;
      if (is_rank_0) good = all;
    }
  }
  if (is_rank_0) printf("%s\n", good ? "all as expected" : "WRONG RESULT");
  return good ? 0 : 1;
}
