/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* An OMPT tool. It counts events, and stores data with regions. */

#include <omp-tools.h>
#include <stdio.h>
#include <string.h>

static int regions, tasks, barriers, failures;

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region,
                              unsigned threads, int flags, const void* place) {
  (void)task, (void)frame, (void)threads, (void)flags, (void)place;
  region->value = (uint64_t)__atomic_add_fetch(&regions, 1, __ATOMIC_RELAXED);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task,
                             unsigned threads, unsigned index, int flags) {
  (void)threads, (void)index;
  if (endpoint != ompt_scope_begin || (flags & ompt_task_initial)) return;
  __atomic_add_fetch(&tasks, 1, __ATOMIC_RELAXED);
  if (region->value == 0) ++failures;
  task->value = region->value;
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* region,
                           ompt_data_t* task, const void* place) {
  (void)place;
  if (kind != ompt_sync_region_barrier_explicit || endpoint != ompt_scope_begin) return;
  __atomic_add_fetch(&barriers, 1, __ATOMIC_RELAXED);
  if (region->value == 0 || task->value != region->value) ++failures;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  const ompt_get_callback_t get = (ompt_get_callback_t)lookup("ompt_get_callback");
  ompt_callback_t found = NULL;
  (void)device;
  if (get(ompt_callback_sync_region, &found) != 0) ++failures; /* the tool has not set it */
  if (set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin) != ompt_set_always ||
      set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task) != ompt_set_always ||
      set(ompt_callback_sync_region, (ompt_callback_t)on_sync_region) != ompt_set_always)
    ++failures;
  if (data->value != 17) ++failures;
  return 1;
}

static void finalize(ompt_data_t* data) {
  if (data->value != 17) ++failures;
  printf("tool: %d regions, %d implicit tasks, %d barriers, %s\n", regions, tasks, barriers,
         failures == 0 ? "as expected" : "WRONG RESULT");
}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t tool = {initialize, finalize, {17}};
  (void)version;
  return strstr(runtime, "LLVM") != NULL ? &tool : NULL;
}
