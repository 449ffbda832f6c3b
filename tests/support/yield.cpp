// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "support/yield.hpp"

#include <dlfcn.h>
#include <sched.h>

static bool yields = false;

void test_support::yield_while_waiting() {
  yields = true;
}

// MPI calls this function instead of UCX's, because this library is linked before UCX. It calls UCX's.
extern "C" unsigned ucp_worker_progress(void* worker) {
  static const auto next = reinterpret_cast<unsigned (*)(void*)>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  const unsigned made = next(worker);
  if (made == 0 && yields) sched_yield();
  return made;
}
