/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers */
/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * placement WAY POLICY THREADS - compares the affinity mask of each thread with what a placement asks for.
 * The policies `first` and `both` are lists of one and of two processing units. Each rank plays a machine
 * with two or four of its processing units, on two packages with a NUMA node each.
 *
 * transparent       MPI_HELPER_PLACEMENT in transparent mode
 * environment       MPI_HELPER_PLACEMENT, and a team
 * key               the info key, and a team
 * kept              like key, but on the real machine, where OpenMP has bound the threads
 * refused           like key, but the system binds no thread
 * refused_helpers   like transparent, but the system binds no thread
 * imagined          like key, but hwloc takes the machine for another one
 * imagined_helpers  like transparent, but hwloc takes the machine for another one
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <mpi.h>
#include <mpi_helper.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { most_units = 4, most_threads = 16 };

static int units[most_units]; /* of the machine that is played */
static int count;             /* of `units` */
static cpu_set_t all;         /* the initial mask of the program */
static int refuses;

/* hwloc calls this function instead of the system's. */
int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t* mask) {
  if (!refuses) return (int)syscall(SYS_sched_setaffinity, thread, bytes, mask);
  errno = EPERM;
  return -1;
}

static void add(int unit, cpu_set_t* mask) {
  CPU_SET((size_t)unit, mask);
}

static cpu_set_t mask_of(pid_t thread) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(thread, sizeof mask, &mask);
  return mask;
}

static int compare(const void* one, const void* other) {
  return memcmp(one, other, sizeof(cpu_set_t));
}

/* Makes a synthetic machine of two or four of the processing units that the process may use. */
static int play_machine(int is_imagined) {
  char machine[128];
  cpu_set_t given = mask_of(0);
  for (int unit = 0; unit < CPU_SETSIZE && count < most_units; ++unit)
    if (CPU_ISSET((size_t)unit, &given)) units[count++] = unit;
  if (count < 2) return 0;
  if (count == 3) count = 2;
  if (count == 2)
    snprintf(machine, sizeof machine, "package:2 numa:1 core:1 pu:1(indexes=%d,%d)", units[0], units[1]);
  else
    snprintf(machine, sizeof machine, "package:2 numa:1 core:2 pu:1(indexes=%d,%d,%d,%d)", units[0], units[1],
             units[2], units[3]);
  CPU_ZERO(&all);
  for (int i = 0; i < count; ++i) add(units[i], &all);
  sched_setaffinity(0, sizeof all, &all);
  setenv("HWLOC_SYNTHETIC", machine, 1);
  if (!is_imagined) setenv("HWLOC_THISSYSTEM", "1", 1);
  return 1;
}

/* Returns the expected mask of member `member` at rank `rank`. The `ranks` ranks of the node share the
 * processing units. */
static cpu_set_t expected_place(const char* policy, int rank, int ranks, int member) {
  const int own = count >= ranks ? count / ranks : 1;
  const int* const share = units + rank * own % count;
  cpu_set_t place;
  CPU_ZERO(&place);
  if (!strcmp(policy, "compact")) add(share[member % own], &place);
  if (!strcmp(policy, "scatter")) {
    const int order[] = {0, 2, 1, 3};
    add(share[own == 4 ? order[member % own] : member % own], &place);
  }
  if (!strcmp(policy, "numa")) {
    const int of_node = count / 2 < own ? count / 2 : own;
    const int node = member % (own / of_node);
    for (int i = 0; i < of_node; ++i) add(share[node * of_node + i], &place);
  }
  if (!strcmp(policy, "first")) add(units[0], &place);
  if (!strcmp(policy, "both")) add(units[member % 2], &place);
  if (!strcmp(policy, "none")) place = all;
  return place;
}

static const char* text_of(const char* policy) {
  static char list[32];
  if (!strcmp(policy, "first")) return snprintf(list, sizeof list, "%d", units[0]), list;
  if (!strcmp(policy, "both")) return snprintf(list, sizeof list, "%d,%d", units[0], units[1]), list;
  return policy;
}

/* Stores the masks of the threads of this process that differ from the initial mask. Returns their number. */
static int bound_threads(cpu_set_t* masks) {
  int bound = 0;
  DIR* const threads = opendir("/proc/self/task");
  for (struct dirent* entry; (entry = readdir(threads)) != NULL;) {
    const cpu_set_t mask = entry->d_name[0] == '.' ? all : mask_of(atoi(entry->d_name));
    if (!CPU_EQUAL(&mask, &all) && bound < most_threads) masks[bound++] = mask;
  }
  closedir(threads);
  return bound;
}

/* Waits until the masks of all helpers are as expected, since helpers bind themselves when they start. If
 * that never comes true, the test runs into its time limit. */
static int helpers_are_bound(const char* policy, int rank, int ranks, int threads) {
  cpu_set_t masks[most_threads], expected[most_threads];
  int to_bind = 0;
  for (int member = 1; member < threads; ++member) {
    const cpu_set_t place = expected_place(policy, rank, ranks, member);
    if (!CPU_EQUAL(&place, &all)) expected[to_bind++] = place;
  }
  qsort(expected, (size_t)to_bind, sizeof *expected, compare);
  for (int bound = -1; bound != to_bind || memcmp(masks, expected, (size_t)to_bind * sizeof *masks);
       sched_yield()) {
    bound = bound_threads(masks);
    qsort(masks, (size_t)bound, sizeof *masks, compare);
  }
  return 1;
}

/* Each thread makes a handle. Until FREE it must be bound to its place, or keep its mask if is_kept. */
static int members_are_bound(const char* policy, MPI_Info info, int rank, int ranks, int threads,
                             int is_kept) {
  cpu_set_t masks[most_threads], expected[most_threads];
  int wrong = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
  {
    const int thread = omp_get_thread_num();
    MPI_Helper_team team;
    const cpu_set_t before = mask_of(0);
    for (int i = 0; i < 50; ++i) { /* all threads read the info object at the same time */
      wrong += MPIX_Helper_team_create_info(1, threads, info, &team) != MPI_SUCCESS;
#pragma omp barrier
      wrong += MPI_Helper_team_free(&team) != MPI_SUCCESS;
#pragma omp barrier
    }
    wrong += MPIX_Helper_team_create_info(1, threads, info, &team) != MPI_SUCCESS;
    masks[thread] = mask_of(0);
    expected[thread] = is_kept ? before : expected_place(policy, rank, ranks, thread);
#pragma omp barrier
    wrong += MPI_Helper_team_free(&team) != MPI_SUCCESS;
    const cpu_set_t after = mask_of(0);
    wrong += !CPU_EQUAL(&after, &before);
  }
  if (!is_kept) { /* threads may have called CREATE in any order */
    qsort(masks, (size_t)threads, sizeof *masks, compare);
    qsort(expected, (size_t)threads, sizeof *expected, compare);
  }
  return wrong == 0 && memcmp(masks, expected, (size_t)threads * sizeof *masks) == 0;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const char *const way = argv[1], *const policy = argv[2];
  const int threads = atoi(argv[3]), is_refused = !strncmp(way, "refused", 7), is_kept = !strcmp(way, "kept");
  const int is_imagined = !strncmp(way, "imagined", 8), is_unbound = is_refused || is_imagined;
  const int is_transparent = !strcmp(way, "transparent") || strstr(way, "_helpers") != NULL;
  if (!is_kept && !play_machine(is_imagined)) return puts("too few processing units"), 0;
  const int has_key = !is_transparent && strcmp(way, "environment") != 0;
  if (!has_key) setenv("MPI_HELPER_PLACEMENT", text_of(policy), 1);
  if (is_transparent) setenv("MPI_HELPER_THREADS", argv[3], 1);
  refuses = is_refused;

  int rank, ranks, level, is_right;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (is_transparent) {
    is_right = helpers_are_bound(is_unbound ? "none" : policy, rank, ranks, threads);
  } else {
    MPI_Info info = MPI_INFO_NULL;
    if (has_key) MPI_Info_create(&info), MPI_Info_set(info, "mpi_helper_placement", text_of(policy));
    is_right = members_are_bound(policy, info, rank, ranks, threads, is_kept || is_unbound);
    if (has_key) MPI_Info_free(&info);
  }
  puts(is_right ? "all as expected" : "WRONG RESULT");
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
