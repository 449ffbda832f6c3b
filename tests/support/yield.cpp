// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <dlfcn.h>
#include <sched.h>

// MPICH waits by calling this function of UCX, again and again, and so a rank keeps its processor for
// milliseconds from those that it waits for, where there are more ranks than processors. Here it gives it
// away when nothing has come.
extern "C" unsigned ucp_worker_progress(void* worker) {
  static const auto next = reinterpret_cast<unsigned (*)(void*)>(
      dlsym(RTLD_NEXT, "ucp_worker_progress")); // the library's, or UCX's
  const unsigned made = next(worker);
  if (made == 0) sched_yield();
  return made;
}
